"""What the tools are asked through the API: every value as text, read by the rules of the pages (app.tools.asked)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from app.tools.asked import PATTERNS, Kind


def _as(kind: Kind) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": PATTERNS[kind]})


def _one_of(*values: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "enum": [*values]})


Count = Annotated[str, _as("count")]
Rate = Annotated[str, _as("number")]
Percent = Annotated[str, _as("percent")]
Share = Annotated[str, _as("share")]
Size = Annotated[str, _as("size")]


def _optional(text: str) -> Any:
    return Field(default="", description=text)


class WorkloadQuery(BaseModel):
    input_tokens: Count = Field(description="median of one request, its history with it")
    output_tokens: Count = Field(description="median of one request")
    prefix_hit_rate: Percent = _optional("percent of the input that the prefix cache holds")
    turns: Count = _optional("of a session")
    concurrency: Count = _optional("requests held at once")
    gpu_prefill_rate: Rate = _optional("tok/s of one GPU at full load; with gpu_decode_rate")
    gpu_decode_rate: Rate = _optional("tok/s of one GPU at full load; with gpu_prefill_rate")
    one_prefill_rate: Rate = _optional("tok/s of one request alone; with one_decode_rate")
    one_decode_rate: Rate = _optional("tok/s of one request alone; with one_prefill_rate")


class CapacityQuery(BaseModel):
    engine: Annotated[str, _one_of("vllm", "sglang")] = Field(description="whose flag `share` is")
    memory: Size = Field(description="of one GPU, with its unit: GB is 10^9 bytes, GiB 2^30")
    share: Share = Field(description="gpu-memory-utilization or mem-fraction-static")
    weights: Size = Field(description="on one GPU")
    overhead: Size = Field(description="on one GPU: activations, CUDA graphs, other")
    kv: Annotated[str, _one_of("gqa", "mla", "entered")] = Field(description="how the bytes of a token are found")
    bytes_per_token: Rate = _optional("over all layers; where kv is entered")
    layers: Count = _optional("that keep every token; where kv is gqa or mla")
    kv_heads: Count = _optional("where kv is gqa; where it is entered, what TP splits")
    head_dim: Count = _optional("where kv is gqa")
    latent_dim: Count = _optional("where kv is mla: kv_lora_rank + qk_rope_head_dim")
    element_bytes: Rate = _optional("where kv is gqa or mla: 2 for bf16, 1 for fp8")
    context: Count = Field(description="tokens of one sequence, prompt and reply")
    tp: Count = Field(description="tensor parallel size of attention")


class SpeculationQuery(BaseModel):
    claim: str = _optional("id of a claim whose numbers stand where a parameter is not given")
    counted: Annotated[str, _one_of("vllm", "sglang")] = _optional("whose way of counting acceptance; needed")
    rate: Rate = _optional("tok/s of one stream with speculation")
    acceptance: Rate = _optional("tokens kept in a step, the target's own among them")
    step_ms: Rate = _optional("two of rate, acceptance and step_ms are needed")
    kind: Annotated[str, _one_of("measured", "simulated", "synthetic")] = _optional("how the acceptance came about")
    off_rate: Rate = _optional("tok/s without speculation")
    at: Rate = _optional("another acceptance")
    draft_tokens: Count = _optional("drafted in a step")

"""Examples in the API's description, by address and method. Each is asked of the application with the shipped catalogue
by a test, so that whatever is shown here works when it is pasted."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
A, B = "sglang-v41-dspark-off", "sglang-v41-step-15"
CLAIM, SOURCE = {"claim_id": B}, {"source_id": "sglang-deepseek-v41-flash-kernels"}
# Values of parameters, those of the path too.
PARAMETERS: dict[tuple[str, str], Json] = {
    ("/api/v1/claims", "get"): {"axis": "decode_rate", "sort": "-value", "limit": 5},
    ("/api/v1/claims.csv", "get"): {"hardware": "GB300"},
    ("/api/v1/claims/{claim_id}", "get"): CLAIM,
    ("/api/v1/claims/{claim_id}/citation", "get"): CLAIM,
    ("/api/v1/sources", "get"): {"limit": 5},
    ("/api/v1/sources/{source_id}", "get"): SOURCE,
    ("/api/v1/compare", "get"): {"a": A, "b": B},
    ("/api/v1/compare/citation", "get"): {"a": A, "b": B},
    ("/api/v1/tools/workload", "get"): {"input_tokens": "142000", "output_tokens": "444", "prefix_hit_rate": "96"},
    ("/api/v1/tools/capacity", "get"): {
        "engine": "vllm", "memory": "139.8 GiB", "share": "0.9", "weights": "15.0 GiB", "overhead": "2.5 GiB",
        "kv": "entered", "bytes_per_token": "890", "context": "8192", "tp": "1",
    },
    ("/api/v1/tools/speculation", "get"): {"claim": B, "at": "3.17"},
    ("/api/v1/cards", "get"): {"engine": "vLLM", "limit": 5},
    ("/api/v1/jobs", "get"): {"state": "queued", "limit": 5},
    ("/api/v1/measurements", "get"): {"limit": 5},
}  # fmt: skip
# What is sent as JSON; a card's YAML stands with its own media type (app.api.card_body).
BODIES: dict[tuple[str, str], Json] = {
    ("/api/v1/jobs", "post"): {
        "claim_id": "gpustack-gptoss20b-h100-random",
        "choices": {
            "version": "0.32.0", "model": "openai/gpt-oss-20b", "gpus": 1, "input_tokens": 1024, "output_tokens": 256,
            "concurrency": 16,
        },
    },
}  # fmt: skip


def with_examples(described: Json) -> Json:
    """The description with every example at its place."""
    for (path, method), values in PARAMETERS.items():
        for parameter in described["paths"][path][method]["parameters"]:
            if parameter["name"] in values:
                parameter["example"] = values[parameter["name"]]
    for (path, method), body in BODIES.items():
        described["paths"][path][method]["requestBody"]["content"]["application/json"]["example"] = body
    return described

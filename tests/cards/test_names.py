"""A card's spellings become the catalogue's, and nothing is added."""

from __future__ import annotations

import pytest

from app.cards import names
from app.cards.load import read_card


@pytest.mark.parametrize(
    ("given", "shown"),
    [("vllm", "vLLM"), ("VLLM", "vLLM"), ("sglang", "SGLang"), ("trtllm", "TensorRT-LLM"), ("lmdeploy", "lmdeploy")],
)
def test_engines_have_one_spelling(given: str, shown: str) -> None:
    assert names.engine(given) == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("deepseek-ai/DeepSeek-V4.1-Flash", "DeepSeek-V4.1-Flash"),
        ("/models/Qwen3-8B/", "Qwen3-8B"),
        ("Kimi K3", "Kimi K3"),
        ("/", "/"),
    ],
)
def test_a_model_is_known_by_its_last_part(given: str, shown: str) -> None:
    assert names.model(given) == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("vllm bench", "vllm bench serve"),
        ("sglang.bench_serving", "sglang bench_serving"),
        ("my own script", "my own script"),
    ],
)
def test_a_load_tool_has_the_catalogues_name(given: str, shown: str) -> None:
    assert names.tool(given) == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [("NVIDIA H200", "H200"), ("h200", "H200"), ("AMD Instinct MI355X", "MI355X"), ("NVIDIA H100 NVL", "H100 NVL")],
)
def test_a_gpu_has_one_name_and_a_variant_stays_one(given: str, shown: str) -> None:
    assert names.gpu(given) == shown


@pytest.mark.parametrize(
    ("written", "model", "shown"),
    [
        ("TP4", "Llama-3.1-8B", "TP4"),
        ("{tp: 4, pp: 1, dp: 1, ep: 1}", "Llama-3.1-8B", "TP4"),
        ("{tp: 4, ep: 1}", "deepseek-ai/DeepSeek-V4.1-Flash", "attention TP4, MoE TP4"),
        ("TP4/EP4", "DeepSeek-V4.1-Flash", "attention TP4, MoE EP4"),
        ("TP8/EP8", None, "attention TP8, MoE EP8"),
        ("DEP2", "DeepSeek-V4.1-Flash", "DEP2"),
        ("{tp: 8, dp: 8, ep: 8, dp_attention: true}", "DeepSeek-V4.1-Flash", "DEP8"),
        ("{tp: 8, dp: 4, ep: 8, dp_attention: true}", "DeepSeek-V4.1-Flash", "attention DP4, MoE EP8"),
        ("TP4 PP2", "Llama-3.1-8B", "TP4 + PP2"),
        ("{tp: 2, dp: 4}", "Llama-3.1-8B", "TP2 + DP4"),
        ("{tp: 8, dcp: 8}", "Kimi K2.6", "TP8 + DCP8"),
        ("attention TP4, MoE TP4", "x", "attention TP4, MoE TP4"),
        ("EP72 over 9 nodes", "x", "EP72 over 9 nodes"),
        ("{}", "x", None),
        ("", "x", None),
    ],
)
def test_parallelism_is_worded_as_the_catalogue_words_it(written: str, model: str | None, shown: str | None) -> None:
    read = read_card(f"parallelism: {written}\n")
    assert read.card
    assert names.parallelism(read.card.parallelism, model) == shown


def test_a_limit_reads_as_posts_write_it() -> None:
    assert names.limit("p90_interactivity > 50 tok/s") == "P90 interactivity > 50 tok/s/user"
    assert names.limit("TTFT below 2 s") == "TTFT below 2 s"


def test_types_and_methods_have_one_spelling() -> None:
    assert (names.dtype("NVFP4", names.WEIGHTS), names.dtype("NVFP4", names.KV)) == ("NVFP4", "nvfp4")
    assert (names.dtype("bfloat16", names.KV), names.dtype("int4-awq", names.WEIGHTS)) == ("bf16", "int4-awq")
    assert (names.method("dspark"), names.method("lookahead")) == ("DSpark", "lookahead")


def test_what_is_not_stated_stays_so() -> None:
    assert names.engine(None) is names.model(None) is names.gpu(None) is names.method(None) is None
    assert names.dtype(None, names.KV) is names.limit(None) is names.parallelism(None, None) is None


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("cleared before each run", "cleared"),
        ("Cleared", "cleared"),
        ("off", "off"),
        ("hit rate 90 %", "hit rate 90 %"),
        ("warm, 97 % hits", "warm, 97 % hits"),
        (None, None),
    ],
)
def test_a_cache_that_is_cleared_before_each_run_is_cleared(said: str | None, shown: str | None) -> None:
    assert names.prefix_cache(said) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("random token ids", "uniform random token ids"),
        ("Uniform random ids", "uniform random token ids"),
        ("uniform random token ids", "uniform random token ids"),
        ("random", "random"),
        ("random token ids, range ratio 0.8", "random token ids, range ratio 0.8"),
        (None, None),
    ],
)
def test_random_ids_are_spelled_as_the_catalogue_spells_them(said: str | None, shown: str | None) -> None:
    assert names.dataset(said) == shown

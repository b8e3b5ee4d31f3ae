"""A recipe becomes the argv of exactly that version, or all that is wrong with it is told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.protocol.engines import ENGINES
from app.protocol.engines.recipe import Recipe, RecipeError, Speculation, deprecated, start
from app.protocol.engines.start import filled, variables
from runners.engines.helptext import flags
from tests.runners.engines.texts import VERSIONS, help_of

if TYPE_CHECKING:
    from app.protocol.engines.start import Given
    from app.protocol.engines.table import Device

KNOWN = {engine: flags(help_of(engine)) for engine in ENGINES}


PLACES: Given = {
    "PROGRAMS": "/env/bin", "PORT": "4711", "KEY": "secret", "NAME": "benchcard-nonce", "MODEL": "models/tiny",
    "SCRATCH": "/scratch", "CACHED": "",
}  # fmt: skip


def argv(engine: str, device: Device = "cuda", **given: Any) -> list[str]:
    """After the program."""
    recipe = Recipe(engine, VERSIONS[engine], "models/tiny", **given)
    found = start(recipe, KNOWN[engine], device).arguments(PLACES)
    head = ["/env/bin/python", "-m", *ENGINES[engine].module]
    assert found[: len(head)] == head
    return found[len(head) :]


def problems(engine: str, **given: Any) -> list[str]:
    with pytest.raises(RecipeError) as caught:
        argv(engine, **given)
    return caught.value.problems


def test_one_recipe_speaks_both_engines_own_flags() -> None:
    settings = {
        "tensor_parallel": 4, "dtype": "bfloat16", "context_tokens": 2048, "max_requests": 16, "prefix_cache": False,
    }  # fmt: skip
    assert argv("vllm", settings=settings) == [
        "models/tiny",
        "--host=127.0.0.1",
        "--port=4711",
        "--api-key=secret",
        "--served-model-name=benchcard-nonce",
        "--enable-prompt-tokens-details",
        "--generation-config=vllm",
        "--tensor-parallel-size=4",
        "--dtype=bfloat16",
        "--max-model-len=2048",
        "--max-num-seqs=16",
        "--no-enable-prefix-caching",
    ]
    assert argv("sglang", settings=settings) == [
        "--model-path=models/tiny",
        "--host=127.0.0.1",
        "--port=4711",
        "--api-key=secret",
        "--served-model-name=benchcard-nonce",
        "--enable-metrics",
        "--enable-cache-report",
        "--tp-size=4",
        "--dtype=bfloat16",
        "--context-length=2048",
        "--max-running-requests=16",
        "--disable-radix-cache",
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_setting_of_the_table_is_a_flag_of_the_version_that_it_was_read_at(engine: str) -> None:
    table = ENGINES[engine]
    values: dict[str, Any] = {"prefix_cache": True, "dtype": "auto", "kv_cache_dtype": "auto", "load_format": "dummy"}
    assert argv(engine, settings={name: values.get(name, 1) for name in table.settings})
    assert ENGINES["vllm"].settings.keys() == ENGINES["sglang"].settings.keys()


def test_speculation_counts_drafts_alike_on_both() -> None:
    wanted = Speculation("ngram", 4, {"prompt_lookup_max": 3})
    assert argv("vllm", speculation=wanted)[-1] == (
        '--speculative-config={"method":"ngram","num_speculative_tokens":4,"prompt_lookup_max":3}'
    )
    found = argv("sglang", speculation=Speculation("ngram", 4, {"ngram-capacity": 1000}))
    assert found[-3:] == [
        "--speculative-algorithm=NGRAM",
        "--speculative-num-draft-tokens=5",  # the root of the tree among them
        "--speculative-ngram-capacity=1000",
    ]


def test_on_a_cpu_sglang_is_told_so() -> None:
    assert "--attention-backend=torch_native" in argv("sglang", "cpu")
    assert "--device=cpu" not in argv("sglang", "cuda")


@pytest.mark.parametrize(
    ("engine", "flag", "told"),
    [
        ("vllm", "max-model-length", "nearest is --max-model-len"),
        ("vllm", "max_num_seqs", "nearest is --max-num-seqs"),
        ("vllm", "trust-rem", "no such flag"),
        ("vllm", "tensor-parallel-size.x", "no such flag"),
        ("vllm", "swap-space", "removed in 0.18"),
        ("vllm", "disable-log-requests", "--enable-log-requests"),
        ("vllm", "host", "The runner sets it"),
        ("vllm", "config", "cannot be checked"),
        ("vllm", "trust-remote-code", "code of a model's repository"),
        ("sglang", "sidecar", "starts a program"),
        ("sglang", "tensor-parallel-size", "write --tp-size"),
        ("sglang", "enable-ep-moe", "--moe-a2a-backend"),
        ("sglang", "completely-made-up", "no such flag"),
        ("sglang", "no-enable-metrics", "no such flag"),
    ],
)
def test_a_flag_that_is_not_the_canonical_one_of_this_version_is_refused(engine: str, flag: str, told: str) -> None:
    (problem,) = problems(engine, flags={flag: 1})
    assert problem.startswith(f"--{flag}: ")
    assert told in problem


@pytest.mark.parametrize(
    ("flag", "value", "told"),
    [
        ("max-num-seqs", True, "takes a value"),
        ("enforce-eager", 1, "is switched with true and false"),
        ("dtype", "float12", "takes one of auto"),
        ("max-num-seqs", "1\0--trust-remote-code", "takes a value"),
    ],
)
def test_a_value_that_does_not_fit_its_flag_is_refused(flag: str, value: Any, told: str) -> None:
    (problem,) = problems("vllm", flags={flag: value})
    assert told in problem


def test_a_value_stays_one_item_whatever_is_in_it() -> None:
    name = "x --trust-remote-code; rm"
    assert argv("vllm", flags={"tokenizer-revision": name})[-1] == f"--tokenizer-revision={name}"
    assert argv("vllm", flags={"enforce-eager": True})[-1] == "--enforce-eager"
    assert argv("sglang", flags={"disable-radix-cache": False}) == argv("sglang")


def test_what_somebody_sent_is_never_taken_for_a_place() -> None:
    name = "{KEY}{PORT}"
    assert argv("vllm", flags={"tokenizer-revision": name})[-1] == f"--tokenizer-revision={name}"
    assert filled(variables(ENGINES["vllm"], "cpu", {"LOG": name}), PLACES)["LOG"] == name


@pytest.mark.parametrize("engine", ENGINES)
def test_the_commit_of_a_model_in_the_store_is_named(engine: str) -> None:
    assert f"--revision={'a' * 40}" in argv(engine, revision="a" * 40)
    assert not [item for item in argv(engine) if item.startswith("--revision")]


def test_everything_wrong_is_told_at_once() -> None:
    found = problems(
        "vllm",
        settings={"tensor_paralel": 2, "max_requests": 4},
        flags={"max-num-seqs": 8, "port": 1, "nonsense": 1},
        env={"LD_PRELOAD": "x.so", "VLLM_CPU_KVCACHE_SPAC": "1"},
    )
    assert [problem.split(":")[0] for problem in found] == [
        "tensor_paralel", "--max-num-seqs", "--port", "--nonsense", "LD_PRELOAD", "VLLM_CPU_KVCACHE_SPAC",
    ]  # fmt: skip
    assert "nearest is tensor_parallel" in found[0]
    assert "nearest is VLLM_CPU_KVCACHE_SPACE" in found[-1]


def test_a_flag_that_this_version_calls_deprecated_is_taken_with_a_note() -> None:
    recipe = Recipe("sglang", VERSIONS["sglang"], "m", flags={"enable-dp-attention": True})
    assert "--enable-dp-attention" in argv("sglang", flags={"enable-dp-attention": True})
    (note,) = deprecated(recipe, KNOWN["sglang"])
    assert "--attn-dp-size" in note


def test_what_the_runner_adds_of_itself_is_left_out_where_a_version_does_not_know_it() -> None:
    older = {name: flag for name, flag in KNOWN["vllm"].items() if name != "enable-prompt-tokens-details"}
    found = start(Recipe("vllm", "0.8.0", "m"), older, "cuda").arguments(PLACES)
    assert "--enable-prompt-tokens-details" not in found
    with pytest.raises(RecipeError):
        start(Recipe("vllm", "0.8.0", "m", flags={"x": 1}), older, "cuda")

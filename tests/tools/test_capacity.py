"""KV cache memory -> sequences: against a real log, hand-computed sizes, and what holds of every question."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.catalogue.models import weights
from app.errors import InvalidInputError
from app.tools.capacity import capacity
from app.tools.presets import of_models, presets
from tests.tools.factories import LOGGED, faults, keys, near, value

GIB = 2**30


def test_it_finds_what_a_start_up_log_of_vllm_printed() -> None:
    answer = capacity(LOGGED)
    assert value(answer, "budget_gib") == Decimal("35.55")
    assert value(answer, "kv_room_gib") == Decimal("11.12")
    assert value(answer, "bytes_per_token") == 131_072
    assert near(value(answer, "concurrency"), "11.12", "1e-4")
    assert near(value(answer, "tokens"), Decimal(5691 * 16), "1e-3")  # the log counts whole blocks of 16
    assert answer.verdict == "11 sequences of 8,192 tokens fit on one GPU at once."


def test_it_finds_the_room_that_a_log_of_sglang_printed() -> None:
    # Qwen3-30B-A3B on one GPU, SGLang pull request 18263: 230.20 GB free after 56.98 GB of weights, fraction 0.911,
    # 204.63 GB for the cache; its GB are 2^30 bytes.
    shape = {"layers": "48", "kv_heads": "4", "head_dim": "128"}
    given = {"engine": "sglang", "memory": "287.18 GiB", "share": "0.911", "weights": "56.98 GiB", "overhead": "1 GiB"}
    assert near(value(capacity({**LOGGED, **shape, **given}), "kv_room_gib"), "204.63", "1e-4")


@pytest.mark.parametrize(
    ("layers", "heads", "tp", "tokens", "printed"),
    [
        ("48", "4", "1", 1_669_816, "152.88"),  # Qwen3-30B-A3B, the same log: K and V of 76.44 GB each
        ("94", "4", "4", 367_404, "16.46"),  # Qwen3-235B-A22B, SGLang in vLLM issue 21348: 8.23 GB each on every GPU
    ],
)
def test_a_token_takes_what_engines_logs_printed_for_many(
    layers: str, heads: str, tp: str, tokens: int, printed: str
) -> None:
    shape = {"layers": layers, "kv_heads": heads, "head_dim": "128", "tp": tp}
    size = value(capacity({**LOGGED, **shape}), "bytes_per_token" if tp == "1" else "bytes_on_gpu")
    assert near(size * tokens / GIB, printed, "1e-3")


def test_the_formula_of_every_figure_has_the_askers_numbers_in_it() -> None:
    formulas = {item.key: item.formula for item in capacity(LOGGED).figures}
    assert formulas["kv_room_gib"] == "35.55 GiB - 14.96 GiB weights - 9.47 GiB other"
    assert formulas["bytes_per_token"] == "2 (K and V) x 32 layers x 8 heads x 128 x 2 bytes"


def test_gb_and_gib_are_told_apart() -> None:
    smaller = capacity({**LOGGED, "memory": "39.50 GB"})
    assert near(value(smaller, "budget_gib"), Decimal("35.55e9") / GIB)


def test_sglang_keeps_activations_outside_its_fraction() -> None:
    answer = capacity({**LOGGED, "engine": "sglang", "overhead": "2 GiB"})
    assert value(answer, "kv_room_gib") == Decimal("20.59")  # 39.50 x 0.90 - 14.96
    assert not answer.warnings
    tight = capacity({**LOGGED, "engine": "sglang", "overhead": "4 GiB"})
    assert "SGLang leaves 3.95 GiB outside the fraction" in tight.warnings[0]


@pytest.mark.parametrize(
    ("layers", "latent", "element", "size"),
    [
        ("61", "576", "2", 70_272),  # DeepSeek-V3: 512 compressed and 64 RoPE values
        ("61", "704", "2", 85_888),  # and the indexer's 128 of V3.2: 83.9 GiB at 1,048,576 tokens, as vLLM's post says
    ],
)
def test_a_latent_is_counted_once_a_layer(layers: str, latent: str, element: str, size: int) -> None:
    shape = {"kv": "mla", "layers": layers, "latent_dim": latent, "element_bytes": element}
    answer = capacity({**LOGGED, **shape, "context": "1048576", "memory": "141 GB"})
    assert value(answer, "bytes_per_token") == size
    if size == 85_888:
        assert near(value(answer, "sequence_gib"), "83.9", "1e-3")


def test_the_preset_of_890_bytes_says_that_it_is_a_logical_size() -> None:
    answer = capacity({**LOGGED, "kv": "entered", "bytes_per_token": "890", "kv_heads": "", "context": "142444"})
    assert near(value(answer, "sequence_gib"), Decimal(142_444 * 890) / GIB)
    assert "logical size, (288 + 68) x (3/2 + 1)" in answer.warnings[0]
    assert (288 + 68) * (Decimal(3) / 2 + 1) == 890


def test_tensor_parallelism_splits_the_heads_but_never_below_one() -> None:
    size = {tp: value(capacity({**LOGGED, "tp": str(tp)}), "bytes_on_gpu") for tp in (2, 4, 8, 16)}
    assert size == {2: 65_536, 4: 32_768, 8: 16_384, 16: 16_384}
    assert "each head is kept 2 times" in capacity({**LOGGED, "tp": "16"}).warnings[0]


def test_a_latent_is_kept_whole_on_every_gpu() -> None:
    shape = {"kv": "mla", "layers": "61", "latent_dim": "576", "element_bytes": "2"}
    one, four = (capacity({**LOGGED, **shape, "tp": tp}) for tp in ("1", "4"))
    assert value(four, "bytes_on_gpu") == value(one, "bytes_per_token") == 70_272
    assert value(four, "tokens") == value(one, "tokens")
    assert near(value(four, "sequences_per_gpu") * 4, value(four, "sequences"))
    assert "TP buys room only by splitting the weights" in four.warnings[0]


def test_heads_that_cannot_be_shared_evenly_are_refused() -> None:
    with pytest.raises(InvalidInputError) as caught:
        capacity({**LOGGED, "tp": "3"})
    assert faults(caught.value) == {"tp": "8 KV heads cannot be shared evenly by TP 3; engines refuse to start so"}


def test_the_chosen_formula_says_what_it_needs() -> None:
    with pytest.raises(InvalidInputError) as caught:
        capacity({**LOGGED, "kv": "mla", "layers": ""})
    assert faults(caught.value).keys() == {"layers", "latent_dim"}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"weights": "30 GiB"}, "Nothing is left for the KV cache: the rest needs 3.92 GiB more on each GPU"),
        ({"context": "131072"}, "Not one sequence of 131,072 tokens fits: 4.88 GiB are lacking on the GPU."),
    ],
)
def test_what_does_not_fit_says_how_much_is_lacking(changed: dict[str, str], says: str) -> None:
    assert says in capacity({**LOGGED, **changed}).verdict


def test_no_overhead_is_written_as_zero_with_its_unit() -> None:
    assert value(capacity({**LOGGED, "overhead": "0 GiB"}), "kv_room_gib") == Decimal("20.59")


def test_the_card_gets_the_conditions_and_no_result() -> None:
    card = capacity({**LOGGED, "tp": "2"}).card
    assert card.startswith(
        "/cards/new?hardware.count=2&parallelism=TP2&workload.input_tokens=8192&metric.axis=kv_capacity"
    )
    assert "result" not in card


def test_every_preset_of_a_model_has_the_size_that_it_says() -> None:
    for preset in of_models(weights()):
        answer = capacity({**LOGGED, **preset.values})
        assert preset.said == f"{value(answer, 'bytes_per_token'):,f} bytes in bf16"


def test_every_preset_gives_an_answer_over_a_whole_question() -> None:
    for preset in presets("capacity", weights()):
        assert capacity({**LOGGED, **preset.values}).verdict


sizes = st.decimals("1", "500", places=2).map(lambda number: f"{number} GiB")
questions = st.fixed_dictionaries(
    {
        "engine": st.sampled_from(["vllm", "sglang"]),
        "memory": sizes,
        "share": st.decimals("0.10", "1.00", places=2).map(str),
        "weights": sizes,
        "overhead": sizes,
        "kv": st.just("gqa"),
        "layers": st.integers(1, 200).map(str),
        "kv_heads": st.sampled_from(["1", "2", "4", "8", "16"]),
        "head_dim": st.sampled_from(["64", "128", "256"]),
        "element_bytes": st.sampled_from(["0.5", "1", "2"]),
        "context": st.integers(1, 2_000_000).map(str),
        "tp": st.sampled_from(["1", "2", "4", "8", "16", "32"]),
    }
)


def tokens(question: dict[str, str]) -> Decimal:
    answer = capacity(question)
    return value(answer, "tokens") if "tokens" in keys(answer) else Decimal(0)


@given(questions, sizes)
def test_more_memory_never_holds_fewer_tokens(question: dict[str, str], other: str) -> None:
    low, high = sorted((question["memory"], other), key=lambda text: Decimal(text.split()[0]))
    assert tokens({**question, "memory": low}) <= tokens({**question, "memory": high})


@given(questions)
def test_twice_the_bytes_hold_half_the_tokens(question: dict[str, str]) -> None:
    assume(question["element_bytes"] != "2")
    twice = {**question, "element_bytes": str(Decimal(question["element_bytes"]) * 2)}
    assert tokens(twice) == tokens(question) // 2


@given(questions)
def test_the_tokens_that_fit_fill_the_room_and_one_more_would_not_fit(question: dict[str, str]) -> None:
    answer = capacity(question)
    assume("tokens" in keys(answer))
    whole = 2 * Decimal(question["layers"]) * Decimal(question["kv_heads"]) * Decimal(question["head_dim"])
    whole *= Decimal(question["element_bytes"])
    on_gpu = whole / min(Decimal(question["kv_heads"]), Decimal(question["tp"]))
    parts = {name: Decimal(question[name].split()[0]) * GIB for name in ("memory", "weights", "overhead")}
    room = parts["memory"] * Decimal(question["share"]) - parts["weights"]
    room -= parts["overhead"] if question["engine"] == "vllm" else 0
    assert value(answer, "tokens") * on_gpu <= room < (value(answer, "tokens") + 1) * on_gpu


@given(questions)
def test_entered_bytes_give_what_computed_ones_give(question: dict[str, str]) -> None:
    answer = capacity(question)
    entered = {**question, "kv": "entered", "bytes_per_token": f"{value(answer, 'bytes_per_token'):f}"}
    assert tokens(entered) == tokens(question)

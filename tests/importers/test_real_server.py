"""The outputs of real tools against a real vLLM: the cards say what the files say, by definition and not by name."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.importers.factories import DATA, FIXTURES, figures, fixture, said

if TYPE_CHECKING:
    from pathlib import Path

    from app.results.importers import Imported

    Card = tuple[str, int]

PLACE = re.compile(r"(?<![\w.-])/(?:tmp|home|root|work|opt|usr|var|mnt|Users)/|fixtures-\w{8}|benchcard-[0-9a-f]{12}")
INPUT, OUTPUT, SPECULATED = 32, 16, 128
ROUNDED = Decimal("0.001")  # of a value that a tool rounded before it was multiplied here
COUNTS = {  # by file and card: requests that succeeded, output tokens that the tool counted
    ("aiperf_plain.json", 0): ("request_count.avg", "total_output_tokens.avg"),
    ("aiperf_ngram.json", 0): ("request_count.avg", "total_output_tokens.avg"),
    ("vllm_appended.json", 0): ("completed", "total_output_tokens"),
    ("vllm_appended.json", 1): ("completed", "total_output_tokens"),
    ("vllm_ngram_detailed.json", 0): ("completed", "total_output_tokens"),
    ("sglang_vllm.jsonl", 0): ("completed", "total_output_tokens"),
    ("genai_bench_s.json", 0): (
        "aggregated_metrics.num_completed_requests",
        "aggregated_metrics.stats.num_output_tokens.sum",
    ),
    ("inference_perf_stage_0_lifecycle_metrics.json", 0): ("successes.count", "successes.output_tokens.total"),
    ("guidellm_sweep.json", 0): (
        "benchmarks.0.metrics.request_totals.successful",
        "benchmarks.0.metrics.output_token_count.successful.total_sum",
    ),
    ("guidellm_sweep.json", 1): (
        "benchmarks.1.metrics.request_totals.successful",
        "benchmarks.1.metrics.output_token_count.successful.total_sum",
    ),
}
INFERENCE_PERF = "inference_perf_stage_0_lifecycle_metrics.json"
CLIENT_COUNTED = (INFERENCE_PERF, 0)  # in tokens of the text tokenised again
WITHOUT_LATENCY = {("vllm_ngram_detailed.json", 0)}  # the tool's own choice of percentile metrics


def name_of(card: Card) -> str:
    return f"{card[0]}-{card[1]}"


cards = pytest.mark.parametrize("card", COUNTS, ids=name_of)


def tree_of(name: str, index: int = 0) -> Any:
    """The document that a card is made of: of files with one a line, that line."""
    text = (DATA / name).read_text()
    lines = text.splitlines()
    each_line = len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines)
    return json.loads(lines[index] if each_line else text, parse_float=Decimal)


def at(tree: Any, path: str) -> Any:
    for step in path.split("."):
        tree = tree[int(step)] if isinstance(tree, list) else tree[step]
    return tree


def imported(card: Card) -> Imported:
    return fixture(card[0]).imported[card[1]]


def tokens_of(card: Card) -> int:
    return SPECULATED if "ngram" in card[0] else OUTPUT


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_no_file_names_the_machine_that_it_was_made_on(path: Path) -> None:
    assert PLACE.findall(path.read_text()) == []


@cards
def test_every_request_brought_the_tokens_that_were_asked_for(card: Card) -> None:
    requests, tokens = (at(tree_of(*card), path) for path in COUNTS[card])
    assert 8 <= requests <= 24  # genai-bench looks only now and then whether it is to stop
    assert tokens == requests * tokens_of(card)
    one = imported(card)
    assert one.card.workload
    assert one.card.workload.output_tokens == str(tokens_of(card))
    assert not said(one, "failures")
    assert not said(one, "T7")


@cards
def test_rates_are_the_tokens_and_requests_of_the_file_over_its_duration(card: Card) -> None:
    """guidellm takes its rates over other windows than the time from first to last; it is held to their ratio."""
    requests, tokens = (Decimal(at(tree_of(*card), path)) for path in COUNTS[card])
    found = figures(imported(card))
    output = found["output_throughput", None]
    if card == CLIENT_COUNTED:
        tokens = requests * tree_of(*card)["successes"]["output_len"]["mean"]
    if ("run_duration", None) in found:
        assert output * found["run_duration", None] == pytest.approx(tokens, rel=ROUNDED * 20)
        assert found["request_throughput", None] * found["run_duration", None] == pytest.approx(
            requests, rel=ROUNDED * 20
        )
    assert output < found["total_throughput", None] < output * (INPUT + OUTPUT + 4) / OUTPUT


@pytest.mark.parametrize(
    "card", [card for card in COUNTS if card not in {*WITHOUT_LATENCY, CLIENT_COUNTED}], ids=name_of
)
def test_tpot_is_what_is_left_of_the_latency_after_the_first_token_by_tokens_less_one(card: Card) -> None:
    """Means are linear where all outputs have one length, so this holds for them whatever a tool calls its fields."""
    found = figures(imported(card))
    rest = found["e2e_latency", "mean"] - found["ttft", "mean"]
    assert found["tpot", "mean"] * (tokens_of(card) - 1) == pytest.approx(rest, rel=Decimal("0.06"))


@cards
def test_percentiles_of_a_time_rise(card: Card) -> None:
    found = figures(imported(card))
    for axis in ("ttft", "tpot", "e2e_latency"):
        at_percent = {
            Decimal(50 if name == "median" else name[1:]): value
            for (of, name), value in found.items()
            if of == axis and name and re.fullmatch(r"median|P[\d.]+", name)
        }
        assert all(low <= high for (_, low), (_, high) in pairwise(sorted(at_percent.items())))
        assert at_percent or (axis == "e2e_latency" and card in WITHOUT_LATENCY)


@cards
def test_what_no_file_holds_is_asked_for(card: Card) -> None:
    """Version and engine are known from one file alone: sglang's client asks the server for them."""
    one = imported(card)
    asked = {question.field for question in one.questions}
    assert {"hardware.accelerator", "hardware.count", "launch.argv", "workload.prefix_cache"} <= asked
    assert one.card.hardware is None
    tells = card[0] == "sglang_vllm.jsonl"
    assert ({"engine.name", "engine.version"} <= asked) != tells
    assert ("model.id" in asked) == (one.card.model is None)
    assert bool(one.card.model) == ("genai" not in card[0] and "inference_perf" not in card[0])
    if one.card.model:
        assert one.card.model.id == "tiny-qwen3"


def test_vllm_tpot_and_event_gap_come_from_the_gaps_of_each_request() -> None:
    """Worked out again from the detailed lists: a request's gaps by its tokens less one, and all gaps alike."""
    for name in ("vllm_ngram_detailed.json", "vllm_appended.json"):
        tree = tree_of(name)
        found = figures(fixture(name).imported[0])
        each = [sum(gaps) / (tokens - 1) for gaps, tokens in zip(tree["itls"], tree["output_lens"], strict=True)]
        gaps = [gap for request in tree["itls"] for gap in request]
        assert found["tpot", "mean"] == pytest.approx(sum(each) / len(each) * 1000, rel=Decimal("0.02"))
        assert found["event_gap", "mean"] == pytest.approx(sum(gaps) / len(gaps) * 1000, rel=ROUNDED)
        assert tree["total_input_tokens"] == sum(tree["input_lens"])


def test_speculation_brings_several_tokens_an_event_and_tpot_is_below_the_gap() -> None:
    vllm, aiperf = fixture("vllm_ngram_detailed.json").imported[0], fixture("aiperf_ngram.json").imported[0]
    tree = tree_of("vllm_ngram_detailed.json")
    length = tree["spec_decode_acceptance_length"]
    assert figures(vllm)["acceptance_length_vllm", None] == length > 1
    assert figures(vllm)["acceptance_rate", None] == tree["spec_decode_acceptance_rate"]
    accepted = tree["spec_decode_accepted_tokens"] / Decimal(tree["spec_decode_num_drafts"])
    assert length == pytest.approx(1 + accepted, rel=ROUNDED)
    for one in (vllm, aiperf):
        found = figures(one)
        assert found["tpot", "mean"] < found["event_gap", "mean"]
    assert "events carry several tokens" in said(aiperf, "T14")
    for one in fixture("vllm_appended.json").imported:
        assert not said(one, "T14")


def test_inference_perf_says_that_it_counts_the_text_where_the_server_s_count_is_another() -> None:
    """A model of random weights writes text that its tokenizer reads back as more tokens than were made."""
    tree = tree_of(INFERENCE_PERF)["successes"]
    [one] = fixture(INFERENCE_PERF).imported
    assert (tree["output_tokens"]["total"], tree["output_len"]["mean"] * tree["count"]) == (128, 192)
    assert "192 output tokens by the client's tokenizer, 128 by the server's count" in said(one, "definition")
    assert "replies ended early" not in said(one, "T15")


def test_sglang_client_tells_that_vllm_answered() -> None:
    [one] = fixture("sglang_vllm.jsonl").imported
    card = one.card
    assert card.engine
    assert card.parallelism
    assert card.speculation
    assert (card.engine.name, card.engine.version) == ("vLLM", "0.32.0")
    assert (card.parallelism.tp, card.parallelism.pp, card.parallelism.dp) == (1, 1, 1)
    assert card.speculation.method == "off"
    assert ("event_gap", "mean") in figures(one)
    assert "asked for, not those that came" in said(one, "T15")

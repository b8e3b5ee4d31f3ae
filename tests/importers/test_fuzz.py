"""Random and mutated files: the importers never raise, and always say something.

BENCHCARD_FUZZ_EXAMPLES raises the number of examples (the suite runs a few hundred of each kind).
"""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.cards.export import to_yaml
from app.cards.load import read_card
from app.results.importers import TOOL_NAMES, ImportReport, detect, read
from tests.importers.factories import (
    DATA,
    FIXTURES,
    MLPERF_HEADER,
    agentx,
    mlperf_row,
    report_01,
    report_02,
    row,
    sglang,
    vllm,
)

EXAMPLES = int(os.environ.get("BENCHCARD_FUZZ_EXAMPLES", "150"))
RELAXED = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
SMALL = [path for path in FIXTURES if path.stat().st_size < 30_000]


def one_a_line(text: str) -> list[str]:
    """The documents of a file: each line one, where every line begins one, else the whole."""
    lines = text.strip().splitlines()
    return lines if all(line.startswith("{") and line.endswith("}") for line in lines) else [text]


TREES: list[Any] = [
    vllm(itls=[[0.01, 0.02]], output_lens=[3], errors=["", "x"], request_rate=5.0),
    sglang(server_info={"version": "1", "speculative_algorithm": "EAGLE"}),
    [row(disagg=True, num_prefill_gpu=4, num_decode_gpu=4), row(tput_per_gpu=200.0)],
    agentx(),
    report_01(),
    report_02("guidellm", time_to_first_token={"units": "s", "mean": 0.04, "p99": 0.1}),
    *(json.loads(line) for path in SMALL for line in one_a_line(path.read_text())),
]
SEEDS = [
    *(path.read_bytes() for path in SMALL),
    *(json.dumps(tree).encode() for tree in TREES),
    "\n".join([MLPERF_HEADER, mlperf_row(), mlperf_row(Units="Samples/s")]).encode(),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        ["inf", "1e999999999", "NaN", "0", "-1", "p90", "P", "", "\x7f", "9" * 70, "a | b", "e\u0301", "x" * 3000]
    ),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.text(max_size=5), st.sampled_from(["mean", "p90", "unit", "avg"])), inner, max_size=3
        ),
    ),
    max_leaves=6,
)


def places_in(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [place for key, value in items for place in [(*path, key), *places_in(value, (*path, key))]]


PLACES = [places_in(tree) for tree in TREES]


def replaced(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The tree with another value at a path."""
    if not path:
        return value
    if isinstance(tree, dict):
        return {key: replaced(old, path[1:], value) if key == path[0] else old for key, old in tree.items()}
    return [replaced(old, path[1:], value) if index == path[0] else old for index, old in enumerate(tree)]


def is_a_report(report: ImportReport) -> None:
    """Cards or problems, and every card is one that the project's own reader takes back."""
    assert report.imported or report.problems
    assert (report.format is None) <= (not report.imported)
    for imported in report.imported:
        assert imported.card.result
        assert read_card(to_yaml(imported.card)).card == imported.card


@RELAXED
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
@example(b"")
@example(b"\xff\xfe{")
@example(b"[[[[")
def test_random_bytes_give_a_report(data: bytes) -> None:
    for name in ("result.json", "summary.csv", "report.yaml"):
        is_a_report(read(name, data))
        assert detect(name, data) in {None, *TOOL_NAMES}


@RELAXED
@given(index=st.integers(0, len(SEEDS) - 1), data=st.data())
def test_cut_doubled_and_damaged_files_give_a_report(index: int, data: st.DataObject) -> None:
    seed = SEEDS[index]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(seed)))
        end = min(len(seed), start + data.draw(st.integers(0, 40)))
        with_ = data.draw(
            st.one_of(st.binary(max_size=6), st.sampled_from([b"", b"NaN", b"Infinity", b"}", b'"', b"0" * 99]))
        )
        seed = seed[:start] + with_ + seed[end:]
    is_a_report(read("result.json", seed))


@RELAXED
@given(which=st.integers(0, len(TREES) - 1), data=st.data())
def test_files_with_a_value_of_another_kind_anywhere_give_a_report(which: int, data: st.DataObject) -> None:
    tree = TREES[which]
    for _ in range(data.draw(st.integers(1, 3))):
        places = places_in(tree) or [()]
        tree = replaced(tree, data.draw(st.sampled_from(places)), data.draw(VALUES))
    is_a_report(read("result.json", json.dumps(tree).encode()))


@RELAXED
@given(which=st.integers(0, len(TREES) - 1), name=st.text(max_size=8), value=VALUES, data=st.data())
def test_files_with_unknown_keys_anywhere_give_a_report(which: int, name: str, value: Any, data: st.DataObject) -> None:
    tree = TREES[which]
    path = data.draw(st.sampled_from([(), *PLACES[which]]))
    holder = tree
    for step in path:
        holder = holder[step]
    if isinstance(holder, dict):
        tree = replaced(tree, path, {**holder, name: value})
    is_a_report(read("result.json", json.dumps(tree).encode()))


@RELAXED
@given(tree=VALUES, wanted=st.sampled_from(list(TOOL_NAMES)))
def test_any_tree_read_as_any_format_gives_a_report(tree: Any, wanted: Any) -> None:
    is_a_report(read("result.json", json.dumps({"version": "0.1", "x": tree}).encode(), wanted))


def test_the_data_folder_holds_what_these_tests_mutate() -> None:
    assert len(SMALL) >= 5
    assert all(path.parent == DATA for path in SMALL)

"""Broken, hostile and foreign files: a problem with its place, never an exception, and bounded memory."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from app.cards.export import to_yaml
from app.cards.load import read_card
from app.results.importers import MOST_BYTES, ImportReport, detect, read
from tests.importers.factories import MLPERF_HEADER, figures, imported, mlperf_row, vllm


def text_of(report: ImportReport) -> str:
    return " | ".join(problem.message for problem in report.problems)


def test_cut_file_is_a_problem_at_its_end() -> None:
    data = json.dumps(vllm(), indent=1).encode()[:-30]
    report = read("result.json", data)
    assert not report.imported
    assert "ends in the middle" in text_of(report)
    assert report.problems[0].line == data.count(b"\n") + 1


def test_malformed_json_is_a_problem_at_its_line_and_column() -> None:
    [problem] = read("result.json", b'{"duration": 1,\n  "model": "\xc3\xa9", "completed": tru}').problems
    assert (problem.line, problem.column) == (2, 31)
    assert "not JSON" in problem.message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_other_encodings_are_named(encoding: str) -> None:
    report = read("result.json", json.dumps(vllm()).encode(encoding))
    assert not report.imported
    assert "save it as UTF-8" in text_of(report)
    assert report.problems[0].line == 1


def test_byte_order_mark_of_utf_8_is_passed_over() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(vllm()).encode()
    assert detect("result.json", data) == "vllm-bench"
    assert len(read("result.json", data).imported) == 1


def test_bytes_that_are_no_text_are_a_problem() -> None:
    report = read("result.json", json.dumps(vllm(model_id="X")).encode().replace(b'"X"', b'"\xff\xfe"'))
    assert not report.imported
    assert "not UTF-8" in text_of(report)
    report = read("report.yaml", b"version: '0.1'\nname: \xff")
    assert (report.problems[0].line, report.problems[0].column) == (2, 7)


@pytest.mark.parametrize("bad", [b"\xed\xa0\x80", b"\xed\xb2\x80", b"\xe9", b"\xff", b"\xc0\xaf", b"\xf4\x90\x80\x80"])
@pytest.mark.parametrize("padding", [1, 3_000_000])
def test_a_byte_that_is_no_utf_8_is_a_problem_at_its_line_and_column(bad: bytes, padding: int) -> None:
    text = json.dumps(vllm(model_id="\u00e9X", itls=["y" * padding]), indent=1, ensure_ascii=False)
    data = text.encode().replace(b"X", bad)
    [problem] = read("result.json", data).problems
    before = data[: data.index(bad, data.index(b'"model_id"'))].decode()
    assert "not UTF-8" in problem.message
    assert (problem.line, problem.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))


def test_a_line_that_is_no_utf_8_does_not_take_its_neighbours_along() -> None:
    good = json.dumps(vllm()).encode()
    report = read(
        "result.jsonl", b"\n".join([good, json.dumps(vllm(model_id="X")).encode().replace(b"X", b"\xe9"), good])
    )
    assert [one.where for one in report.imported] == ["line 1", "line 3"]
    assert [problem.line for problem in report.problems] == [2]


@pytest.mark.parametrize("data", [b"", b"   \n", b"\xef\xbb\xbf"])
def test_empty_files_say_so(data: bytes) -> None:
    report = read("result.json", data)
    assert report.format is None
    assert report.problems


def test_file_of_no_known_tool_lists_the_tools() -> None:
    report = read("result.json", b'{"hello": "world"}')
    assert report.format is None
    assert "not a result of any tool known here" in text_of(report)
    assert "guidellm" in text_of(report)
    assert detect("result.json", b'{"hello": "world"}') is None


def test_wanted_format_that_does_not_fit_is_a_problem() -> None:
    report = read("result.json", json.dumps(vllm()).encode(), "guidellm")
    assert not report.imported
    assert "no result of guidellm" in text_of(report)


def test_duplicate_keys_are_refused_with_the_key() -> None:
    data = json.dumps(vllm(), indent=1).encode().replace(b'"duration": 20.0', b'"duration": 20.0,\n   "duration": 2.0')
    report = read("result.json", data)
    assert not report.imported
    assert "`duration` stands twice" in text_of(report)
    before = data[: data.rindex(b'"duration"')]
    assert (report.problems[0].line, report.problems[0].column) == (before.count(b"\n") + 1, 4)


def test_a_refused_line_does_not_take_its_neighbours_along() -> None:
    good = json.dumps(vllm())
    report = read("result.jsonl", "\n".join([good, '{"a": 1, "a": 2}', good, "[1, 2", good, "5", good]).encode())
    assert [one.where for one in report.imported] == ["line 1", "line 3", "line 5", "line 7"]
    assert [problem.line for problem in report.problems] == [2, 5, 6]  # the open list of line 4 breaks in line 5


def test_duplicate_keys_of_a_large_file_are_refused_too() -> None:
    data = json.dumps({**vllm(), "itls": [[0.5] * 100] * 2000}).encode()
    report = read("result.json", data.replace(b'"completed"', b'"duration": 1, "completed"'))
    assert "`duration` stands twice" in text_of(report)
    assert len(read("result.json", data).imported) == 1


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 900 + b"]" * 900])
def test_deep_nesting_is_a_problem(deep: bytes) -> None:
    assert read("result.json", deep).problems
    assert read("result.json", json.dumps(vllm()).encode()[:-1] + b', "x": ' + deep).problems
    assert read("report.yaml", b"version: 1\nx: " + deep).problems


HOSTILE = [
    "1e400",
    "1e999999999",
    "-1e400",
    "9" * 5000,
    "1e-400",
    "Infinity",
    "-Infinity",
    "NaN",
    "true",
    '"12"',
    "[]",
    "{}",
]


@pytest.mark.parametrize("number", [*HOSTILE, "-1", "null", "9223372036854775808", '"' + "x" * 100_000 + '"'])
def test_hostile_numbers_never_become_figures(number: str) -> None:
    data = json.dumps(vllm(mean_ttft_ms="@")).replace('"@"', number).encode()
    [one] = read("result.json", data).imported
    found = figures(one).get(("ttft", "mean"))
    assert found is None or number == '"12"'
    data = json.dumps(vllm(completed="@", max_concurrency="@")).replace('"@"', number).encode()
    for one in read("result.json", data).imported:
        assert one.card.workload is None or one.card.workload.concurrency in (None, 12)


def test_text_that_a_card_cannot_take_is_cleaned_or_left_out() -> None:
    [one] = imported(vllm(model_id="a\u0000b\u202ec\n" + "x" * 5000))
    assert one.card.model
    assert one.card.model.id
    assert one.card.model.id.startswith("abcx")
    assert len(one.card.model.id) <= 200
    [one] = imported(vllm(model_id="one | two", cafe="e\u0301"), "a | b.json")
    assert read_card(to_yaml(one.card)).card == one.card
    [one] = imported(vllm(max_concurrency=10**12, date="20269999-000000"))
    assert one.card.workload is None or one.card.workload.concurrency is None
    assert "workload.concurrency" in {warned.field for warned in one.warnings if warned.trap == "refused"}


@pytest.mark.parametrize("half", ["\\ud800x", "x\\udc00", "\\ud83d"])
def test_half_a_surrogate_pair_is_a_problem_at_its_place(half: str) -> None:
    data = json.dumps(vllm(model_id="@", label="\U0001f600")).replace("@", half).encode()
    report = read("result.json", data)
    assert not report.imported
    assert "not JSON" in text_of(report)
    assert abs((report.problems[0].column or 0) - data.index(b"\\ud")) < 10
    assert len(read("result.json", json.dumps(vllm(label="\U0001f600")).encode()).imported) == 1


def test_file_names_lose_their_folders() -> None:
    [one] = read("C:\\Users\\me\\../../etc/result.json", json.dumps(vllm()).encode()).imported
    assert one.card.raw
    assert one.card.raw[0].name == "result.json"


def test_yaml_tricks_are_problems_with_their_places() -> None:
    report = read("report.yaml", b"version: &a '0.1'\nresults: *a\n")
    assert {(problem.line, problem.column) for problem in report.problems} == {(1, 10), (2, 10)}
    assert read("bomb.yaml", b"a: [" * 50 + b"]" * 50).problems
    assert "too large for YAML" in text_of(read("big.yaml", b"version: 1\n" + b"# comment\n" * 300_000))


@pytest.mark.parametrize("value", ["{},", "[],", "1,"])
def test_yaml_of_more_values_than_a_report_has_is_refused_where_they_are_too_many(value: str) -> None:
    [problem] = read("report.yaml", f"version: [{value * 15_000}]".encode()).problems
    assert "more than 10000 values" in problem.message
    assert problem.line == 1
    assert (problem.column or 0) > 10_000


def test_csv_with_torn_rows_keeps_the_whole_ones() -> None:
    data = "\n".join([MLPERF_HEADER, "only,three,cells", mlperf_row(), '"open quote']).encode()
    report = read("summary.csv", data)
    assert len(report.imported) == 1
    assert [(problem.line, problem.column) for problem in report.problems] == [(2, 1), (4, 1)]
    assert "not CSV" in text_of(report)


@pytest.mark.parametrize("broken", ['"open', '"a"b,c', '"' + "x" * 200_000 + '"'])
def test_csv_that_is_broken_in_its_first_line_says_so(broken: str) -> None:
    problem = read("summary.csv", broken.encode()).problems[0]
    assert ("not CSV" in problem.message, problem.line, problem.column) == (True, 1, 1)


def test_thousands_of_broken_parts_give_a_short_list_of_problems() -> None:
    report = read("result.jsonl", b'{"broken": \n' * 5000)
    assert 0 < len(report.problems) <= 50


def test_file_beyond_the_limit_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.results.importers.reading.MOST_BYTES", 100)
    assert MOST_BYTES > 100_000_000
    assert "larger than" in text_of(read("result.json", json.dumps(vllm()).encode()))


def test_number_that_would_be_a_gigabyte_of_zeros_is_not_written_out() -> None:
    for key in ("model_id", "label", "backend", "date", "some_metadata", "request_rate"):
        data = json.dumps(vllm(**{key: "@"})).replace('"@"', "1e999999999").encode()
        [one] = read("result.json", data).imported
        assert len(one.model_dump_json()) < 20_000


MEGABYTE = 1024 * 1024
SWOLLEN = {
    "empty lists": b'{"completed": 1, "itls": [' + b"[]," * 5_000_000 + b"[]]}",
    "list of empty lists": b"[" + b"[]," * 5_000_000 + b"[]]",
    "list of empty objects": b"[" + b"{}," * 5_000_000 + b"{}]",
    "many keys": b"{" + b",".join(b'"k%d":0' % index for index in range(1_200_000)) + b"}",
    "many documents": b"{}\n" * 5_000_000,
    "benchmarks": b'{"metadata": {"guidellm_version": "1"}, "benchmarks": [' + b"{}," * 5_000_000 + b"{}]}",
    "one long text": b'{"completed": "' + b"x" * 15_000_000 + b'"}',
    "lines of numbers": (b'{"completed": [' + b"1," * 110_000 + b"1]}\n") * 70,
    "many medium lists": b"{" + b",".join(b'"k%d":[%s0]' % (index, b"[]," * 60_000) for index in range(80)) + b"}",
}


@pytest.mark.parametrize("name", SWOLLEN)
def test_memory_stays_bounded_whatever_the_file_is_made_of(name: str) -> None:
    """15 MB that would be 300 MB to 2 GB of Python objects."""
    data = SWOLLEN[name]
    tracemalloc.start()
    try:
        report = read("result.json", data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.problems
    assert peak < 300 * MEGABYTE

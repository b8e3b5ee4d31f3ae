"""What may be typed into a tool, and how what may not is told."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidInputError
from app.tools import capacity, speculation, workload_fields
from app.tools.asked import PATTERNS, READERS, UNITS, Field, Kind, UnfitError, in_bytes, read
from tests.tools.factories import faults

ALL = (*workload_fields.FIELDS, *capacity.FIELDS, *speculation.FIELDS)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("141 GB", 141 * 10**9),
        ("141GB", 141 * 10**9),
        ("39.50 GiB", Decimal("39.5") * 2**30),
        ("512 mib", 512 * 2**20),
        ("1 TiB", 2**40),
    ],
)
def test_a_size_is_read_with_its_own_unit(text: str, size: Decimal) -> None:
    assert in_bytes(text) == size


def test_gb_and_gib_differ_by_7_percent() -> None:
    assert in_bytes("80 GiB") / in_bytes("80 GB") == Decimal("1.073741824")


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("size", "80", "write GB (10^9 bytes) or GiB (2^30)"),
        ("size", "80 Gb/s", "no unit"),
        ("size", "80 G", "`G` is no unit of memory here; use MB, GB"),
        ("size", "-1 GB", "no positive number"),
        ("count", "4K", "write the number out; K is 1,000 to some and 1,024 to others"),
        ("count", "142,000", "write 142000, without separators"),
        ("count", "1.5", "a whole number"),
        ("count", "142.000", "a whole number"),  # as a thousand is written where a point groups
        ("count", "0", "0 leaves nothing to divide by"),
        ("count", "1e3", "no positive number"),
        ("count", "٤", "no positive number"),
        ("number", "NaN", "no positive number"),
        ("number", "9" * 15, "beyond anything measured here"),
        ("number", "0.0000000001", "beyond anything measured here"),
        ("percent", "0.96", "write 96 for 96 %, or `0.96 %` for so little"),
        ("percent", "101", "0 to 100 percent"),
        ("share", "90", "a share above 0 and up to 1, as the engine's flag does; for 90 % write 0.9"),
    ],
)
def test_what_cannot_be_taken_says_how_to_mend_it(kind: Kind, text: str, says: str) -> None:
    with pytest.raises(UnfitError) as caught:
        READERS[kind](text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "percent"), [("96", "96"), ("96 %", "96"), ("0.5 %", "0.5"), ("0", "0"), ("100", "100")]
)
def test_a_percentage_may_carry_its_sign(text: str, percent: str) -> None:
    assert READERS["percent"](text) == Decimal(percent)


def test_every_problem_is_told_at_once_by_its_field() -> None:
    with pytest.raises(InvalidInputError) as caught:
        read(capacity.FIELDS, {"memory": "80", "share": "90", "engine": "trt", "context": " "})
    found = faults(caught.value)
    assert found.keys() == {"memory", "share", "engine", "weights", "overhead", "kv", "context", "tp"}
    assert found["engine"] == "`trt` is no choice here; use vllm, sglang"
    assert found["context"] == "Context of one sequence: needed; for example 8192"


@pytest.mark.parametrize("field", ALL, ids=lambda field: field.name)
def test_the_example_of_every_field_can_be_taken(field: Field) -> None:
    if field.example:
        READERS[field.kind](field.example)


@pytest.mark.parametrize("kind", list(READERS))
def test_what_the_api_describes_is_taken(kind: Kind) -> None:
    @given(st.from_regex(re.compile(PATTERNS[kind]), fullmatch=True))
    def taken(text: str) -> None:
        READERS[kind](text.strip())

    taken()


@given(st.decimals("0.001", "999999", places=3, allow_nan=False), st.sampled_from(sorted(UNITS)))
def test_a_size_in_bytes_over_its_unit_is_the_number_typed(number: Decimal, unit: str) -> None:
    assert in_bytes(f"{number:f} {unit}") / UNITS[unit] == number


@given(st.text(max_size=40), st.sampled_from(sorted(READERS)))
def test_no_text_does_anything_but_be_read_or_be_refused(text: str, kind: Kind) -> None:
    try:
        assert READERS[kind](text).is_finite()
    except UnfitError as unfit:
        assert str(unfit)

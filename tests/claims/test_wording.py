"""The number at the head of a row reads as people write it, with every digit of the source."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from app.claims.wording import headline, number
from tests.compare.factories import claim

RATIO: dict[str, Any] = {"kind": "ratio", "unit": "x", "baseline": {"kind": "not_stated"}, "value": None}
CHANGE: dict[str, Any] = {**RATIO, "kind": "change", "unit": "%"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"value": "873.63"}, "873.63 tok/s"),
        ({"value": "223.50"}, "223.50 tok/s"),
        ({"value": "104429.47", "unit": "tok/s/GPU"}, "104,429.47 tok/s/GPU"),
        ({"value": "465.405247473878"}, "465.405 tok/s"),
        ({"value": "1742845.692363116"}, "1,742,846 tok/s"),
        ({"value": "0.41254369400030555", "unit": "s"}, "0.412544 s"),
        ({"value": "0.0000237"}, "0.0000237 tok/s"),
        ({"value": "12345678901", "unit": "bytes"}, "12,345,678,901 bytes"),
        ({**RATIO, "value": "5", "approximate": True}, "about 5x"),
        ({**RATIO, "value": "2.1", "bound": "up_to"}, "up to 2.1x"),
        ({**RATIO, "value": "2.1", "bound": "up_to", "approximate": True}, "up to about 2.1x"),
        ({**RATIO, "value": "10", "bound": "more_than"}, "more than 10x"),
        ({**CHANGE, "value": "-70", "bound": "nearly", "approximate": True}, "nearly −70 %"),
        ({**CHANGE, "value": "-10", "bound": "within"}, "within −10 %"),
        ({**RATIO, "low": "14", "high": "23"}, "14–23x"),
        ({**CHANGE, "low": "-40", "high": "-30"}, "−30 to −40 %"),
        ({**CHANGE, "low": "3", "high": "6"}, "+3 to +6 %"),
        ({**CHANGE, "low": "-0.3", "high": "0.4"}, "−0.3 to +0.4 %"),
        ({**CHANGE, "value": "-30"}, "−30 %"),
        ({**CHANGE, "value": "36"}, "+36 %"),
        ({**CHANGE, "value": "0"}, "0 %"),
        ({**CHANGE, "value": "1.5", "unit": "standard errors"}, "1.5 standard errors"),
        ({"value": "90", "unit": "%"}, "90 %"),
        ({**RATIO, "before": "35", "after": "873", "points_unit": "tok/s"}, "35 → 873 tok/s"),
        (
            {**RATIO, "before": "27000", "after": "144000", "points_unit": "tok/s/GPU", "approximate": True},
            "about 27,000 → about 144,000 tok/s/GPU",
        ),
        ({**RATIO, "value": "3.14", "before": "118", "after": "370", "points_unit": "tok/s"}, "3.14x"),
        ({**RATIO, "written": "not quantified"}, "not quantified"),
        ({**RATIO}, "number not given"),
    ],
)
def test_headline_reads_as_people_write_it(fields: dict[str, Any], expected: str) -> None:
    assert headline(claim(**fields)) == expected


def test_a_number_keeps_every_digit_and_takes_a_real_minus_sign() -> None:
    assert number(Decimal("-1234567.80")) == "−1,234,567.80"
    assert number(Decimal("1E+3")) == "1,000"

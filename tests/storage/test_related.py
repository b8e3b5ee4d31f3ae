"""Claims and cards under like conditions are found, the nearest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.claims.queries import Claims
from app.errors import InvalidInputError
from tests.compare.factories import row
from tests.storage.stored import store

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow
    from app.db import Database

ENGINE, MODEL, GPU = "conditions.engine.name", "conditions.model.id", "conditions.hardware.accelerator"
TTFT: dict[str, Any] = {"axis": "ttft", "unit": "ms"}
ROWS = [
    row(id="self", rank=1),
    row(id="twin", rank=9),
    row(id="other-engine", **{ENGINE: "vLLM"}),
    row(id="other-gpu", **{GPU: "H200"}),
    row(id="other-axis", **TTFT),
    row(id="other-model", **{MODEL: "Kimi K3"}),
    row(id="same-model-only", **{ENGINE: "vLLM", GPU: "H200"}, **TTFT),
    row(id="same-axis-only", **{MODEL: "Kimi K3", GPU: "H200"}),
    row(id="nothing-stated", **{ENGINE: None, MODEL: None, GPU: None}),
]


@pytest.fixture
def claims(database: Database) -> Claims:
    store(database, ROWS)
    return Claims(database)


def near(claims: Claims, to: ClaimRow, most: int = 10) -> list[str]:
    return [item.id for item in claims.related(to, most)]


def test_the_same_model_comes_first_then_the_axis_then_the_gpu(claims: Claims) -> None:
    assert near(claims, ROWS[0]) == [
        "twin",
        "other-engine",
        "other-gpu",
        "other-axis",
        "same-model-only",
        "other-model",
    ]


def test_no_more_are_given_than_asked_for(claims: Claims) -> None:
    assert near(claims, ROWS[0], 2) == ["twin", "other-engine"]


def test_what_is_not_stated_is_like_nothing(claims: Claims) -> None:
    assert near(claims, ROWS[-1]) == []


def test_a_row_that_is_not_in_the_table_has_relatives_too(claims: Claims) -> None:
    assert near(claims, row(id="draft"), 1) == ["self"]


def test_both_configurations_are_read_from_the_table(claims: Claims) -> None:
    found = claims.configurations("SGLang", "DeepSeek-V4.1-Flash")
    assert {item.id for item in found.low_latency} == {"self", "twin", "other-gpu", "other-axis"}
    assert found.high_throughput == ()
    with pytest.raises(InvalidInputError):
        claims.configurations("an engine", "a model")

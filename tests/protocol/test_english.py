"""One of something and several, and what pydantic refuses in the words of the house."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from app.protocol.english import counted, refusal


class Asked(BaseModel):
    count: int = Field(default=1, ge=1, le=500)
    rate: float = Field(default=1.0, gt=0)
    price: Decimal = Decimal(1)
    on: bool = True
    kind: Literal["point", "sweep"] = "point"
    name: str = Field(default="a", pattern="^[a-z]+$", min_length=1, max_length=3)
    items: list[int] = Field(default_factory=list, max_length=2)
    more: dict[str, int] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("field", "given", "said"),
    [
        ("count", "many", "a whole number is expected, in digits only"),
        ("count", 1.5, "a whole number is expected, in digits only"),
        ("count", 501, "must be at most 500"),
        ("count", 0, "must be at least 1"),
        ("rate", 0, "must be more than 0"),
        ("rate", "x", "a number is expected"),
        ("price", "x", "a number is expected"),
        ("on", "perhaps", "true or false is expected"),
        ("kind", "other", "is one of point, sweep"),
        ("name", "A", "is not written in the form that it must have, `^[a-z]+$`"),
        ("name", "abcd", "may have at most 3 characters"),
        ("name", 7, "text is expected"),
        ("items", [1, 2, 3], "may have at most 2 items"),
        ("items", "x", "is a list, one `- ` an item"),
        ("more", "x", "is a mapping: one `key: value` a line"),
    ],
)
def test_what_is_refused_is_told_by_what_is_expected(field: str, given: Any, said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({field: given})
    (problem,) = refused.value.errors()
    assert refusal(problem) == said


@pytest.mark.parametrize(("count", "said"), [(0, "0 GPUs"), (1, "1 GPU"), (2, "2 GPUs"), (12000, "12,000 GPUs")])
def test_one_is_no_plural(count: int, said: str) -> None:
    assert counted(count, "GPU") == said
    assert counted(count, "process", "processes").endswith("process" if count == 1 else "processes")


def test_nothing_else_in_the_product_tells_a_problem_in_pydantics_own_words_or_makes_plurals() -> None:
    root = Path(__file__).parents[2]
    files = [file for room in ("app", "runners") for file in (root / room).rglob("*.py") if file.name != "english.py"]
    files += (root / "templates").rglob("*.html")
    for file in files:
        text = file.read_text()
        for own in ("['msg']", '["msg"]', "== 1 else 's'", "else 's'}", '== 1 else "s"', 'else "s"'):
            assert own not in text, f"{file.relative_to(root)}: {own} (app.protocol.english has it)"

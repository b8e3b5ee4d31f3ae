"""Words that app and runners share: how many of something, and why a value cannot be taken. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.language import ENGLISH, F_, _, number, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

QUOTED = re.compile(r"'([^']*)'")
# Pydantic's kinds of problem -> what is said of the value; {names} stand in the problem's own context.
REFUSALS = {
    "missing": F_("is missing"),
    "extra_forbidden": F_("is not known here"),
    "frozen_field": F_("cannot be changed"),
    "none_required": F_("must be left out"),
    "string_type": F_("text is expected"),
    "string_too_short": F_("must have {min_length} or more characters"),
    "string_too_long": F_("may have at most {max_length} characters"),
    "string_pattern_mismatch": F_("is not written in the form that it must have, `{pattern}`"),
    "greater_than": F_("must be more than {gt}"),
    "greater_than_equal": F_("must be at least {ge}"),
    "less_than": F_("must be less than {lt}"),
    "less_than_equal": F_("must be at most {le}"),
    "finite_number": F_("must be a finite number"),
    "multiple_of": F_("must be a multiple of {multiple_of}"),
    "too_short": F_("must have {min_length} or more items"),
    "too_long": F_("may have at most {max_length} items"),
    "json_invalid": F_("is no JSON: {error}"),
    "model_type": F_("is a mapping: one `key: value` a line"),
    "model_attributes_type": F_("is a mapping: one `key: value` a line"),
    "dict_type": F_("is a mapping: one `key: value` a line"),
    "tuple_type": F_("is a list, one `- ` an item"),
    "list_type": F_("is a list, one `- ` an item"),
    "url_parsing": F_("is no address: {error}"),
    "url_scheme": F_("must begin with {expected_schemes}"),
    "path_type": F_("the place of a file is expected"),
}
BEGINNINGS = {
    "int_": F_("a whole number is expected, in digits only"),
    "float_": F_("a number is expected"),
    "decimal_": F_("a number is expected"),
    "bool_": F_("true or false is expected"),
    "date_": F_("a date is expected, as 2026-11-30"),
    "datetime_": F_("a moment is expected, as 2026-11-30T12:00:00Z"),
    "timezone_": F_("a moment with its time zone is expected, as 2026-11-30T12:00:00Z"),
}


def measured(value: float) -> str:
    """A finite number as it is shown wherever it stands: one digit after the point, below ten three digits in all."""
    if abs(value) >= 10 or value == 0:
        return number(value, ",.1f")
    return number(value, ".2f" if abs(value) >= 1 else ".3g")


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 GPU`, `2 GPUs`, `12,000 claims`, `1 query` and `2 queries` with its own plural. The only place that knows."""
    return f"{number(count)} {named(count, noun, plural)}"


def named(count: int | Decimal, noun: str, plural: str = "") -> str:
    """The noun alone, for that many. The catalogue of another language has it once: `make messages` takes the English
    singular out of the call."""
    if spoken() is not ENGLISH:
        return _(noun)
    return noun if count == 1 else plural or f"{noun}s"


def refusal(problem: Mapping[str, Any]) -> str:
    """Why a value cannot be taken, of one problem as pydantic tells it: what is expected, without the value and its
    place, so that every page, answer and command says it in the same words."""
    kind, told = str(problem["type"]), problem.get("ctx") or {}
    if kind in ("literal_error", "enum"):
        return _(F_("is one of {values}")).format(values=", ".join(expected(problem)))
    if kind in ("value_error", "assertion_error"):
        return re.sub("^(Value|Assertion) error, ", "", str(problem["msg"]))
    if kind in REFUSALS:
        shown = {name: f"{value:g}" if isinstance(value, float) else value for name, value in told.items()}
        return _(REFUSALS[kind]).format_map(shown)
    said = next((words for beginning, words in BEGINNINGS.items() if kind.startswith(beginning)), None)
    why = str(problem["msg"])
    return _(said) if said else _(F_("cannot be taken ({why})")).format(why=f"{why[:1].lower()}{why[1:]}")


def expected(problem: Mapping[str, Any]) -> list[str]:
    """The values that a choice takes."""
    return QUOTED.findall(str((problem.get("ctx") or {}).get("expected", "")))

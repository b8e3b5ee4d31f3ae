"""Words that app and runners share: how many of something, and why a value cannot be taken. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.language import ENGLISH, N_, _, number, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

QUOTED = re.compile(r"'([^']*)'")
# Pydantic's kinds of problem -> what is said of the value; {names} stand in the problem's own context.
REFUSALS = {
    "missing": N_("is missing"),
    "extra_forbidden": N_("is not known here"),
    "frozen_field": N_("cannot be changed"),
    "none_required": N_("must be left out"),
    "string_type": N_("text is expected"),
    "string_too_short": N_("must have at least {min_length} characters"),
    "string_too_long": N_("may have at most {max_length} characters"),
    "string_pattern_mismatch": N_("is not written in the form that it must have, `{pattern}`"),
    "greater_than": N_("must be more than {gt}"),
    "greater_than_equal": N_("must be at least {ge}"),
    "less_than": N_("must be less than {lt}"),
    "less_than_equal": N_("must be at most {le}"),
    "finite_number": N_("must be a finite number"),
    "multiple_of": N_("must be a multiple of {multiple_of}"),
    "too_short": N_("must have at least {min_length} items"),
    "too_long": N_("may have at most {max_length} items"),
    "json_invalid": N_("is no JSON: {error}"),
    "model_type": N_("is a mapping: one `key: value` a line"),
    "model_attributes_type": N_("is a mapping: one `key: value` a line"),
    "dict_type": N_("is a mapping: one `key: value` a line"),
    "tuple_type": N_("is a list, one `- ` an item"),
    "list_type": N_("is a list, one `- ` an item"),
    "url_parsing": N_("is no address: {error}"),
    "url_scheme": N_("must begin with {expected_schemes}"),
    "path_type": N_("the place of a file is expected"),
}
BEGINNINGS = {
    "int_": N_("a whole number is expected, in digits only"),
    "float_": N_("a number is expected"),
    "decimal_": N_("a number is expected"),
    "bool_": N_("true or false is expected"),
    "date_": N_("a date is expected, as 2026-11-30"),
    "datetime_": N_("a moment is expected, as 2026-11-30T12:00:00Z"),
    "timezone_": N_("a moment with its time zone is expected, as 2026-11-30T12:00:00Z"),
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
        return _("is one of {values}").format(values=", ".join(expected(problem)))
    if kind in ("value_error", "assertion_error"):
        return re.sub("^(Value|Assertion) error, ", "", str(problem["msg"]))
    if kind in REFUSALS:
        shown = {name: f"{value:g}" if isinstance(value, float) else value for name, value in told.items()}
        return _(REFUSALS[kind]).format_map(shown)
    said = next((words for beginning, words in BEGINNINGS.items() if kind.startswith(beginning)), None)
    return _(said) if said else f"cannot be taken ({str(problem['msg'])[:1].lower()}{str(problem['msg'])[1:]})"


def expected(problem: Mapping[str, Any]) -> list[str]:
    """The values that a choice takes."""
    return QUOTED.findall(str((problem.get("ctx") or {}).get("expected", "")))

"""What a tool is asked: each field's name, unit and spelling, and the reading of what was typed. Pure.

Numbers are Decimals as typed. Memory always says its unit: GB is 10^9 bytes and GiB 2^30, 7 % apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from app.errors import InvalidInputError
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Kind = Literal["count", "number", "percent", "share", "size", "choice"]
UNITS = {
    "MB": Decimal(10**6),
    "GB": Decimal(10**9),
    "TB": Decimal(10**12),
    "MiB": Decimal(2**20),
    "GiB": Decimal(2**30),
    "TiB": Decimal(2**40),
}
MOST = Decimal(10**12)  # of any count or rate here; keeps every product exact in 28 digits
LEAST = Decimal("0.000001")
SHOWN = 60

# What each kind accepts, as a program is told.
PATTERNS: dict[Kind, str] = {
    "count": r"^[1-9][0-9]{0,8}$",
    "number": r"^[1-9][0-9]{0,8}(\.[0-9]{1,6})?$",
    "percent": r"^(0|[1-9][0-9]?(\.[0-9]{1,4})?|100)$",
    "share": r"^0\.[0-9]{0,4}[1-9]$",
    "size": r"^[1-9][0-9]{0,5}(\.[0-9]{1,3})? ?(MB|GB|TB|MiB|GiB|TiB)$",
}
_PLAIN = re.compile(r"\d{1,15}(\.\d{1,12})?", re.ASCII)


@dataclass(frozen=True)
class Field:
    """`unit` stands behind the input. `choices` are (value, label); `needed` fields have no answer without them."""

    name: str
    label: str
    kind: Kind
    help: str
    example: str = ""
    unit: str = ""
    needed: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    group: str = ""


@dataclass(frozen=True)
class Given:
    """What was read: numbers (sizes in bytes, percents as they are) and choices, by field."""

    numbers: dict[str, Decimal]
    words: dict[str, str]

    def number(self, name: str) -> Decimal | None:
        return self.numbers.get(name)


class UnfitError(ValueError):
    """A value that cannot be read; its text says how to mend it."""


def read(fields: Sequence[Field], typed: Mapping[str, str]) -> Given:
    """Every field that holds something. Raises InvalidInputError with all problems, those that are needed and empty
    among them."""
    numbers: dict[str, Decimal] = {}
    words: dict[str, str] = {}
    problems: list[tuple[str, str]] = []
    for field in fields:
        text = typed.get(field.name, "").strip()
        try:
            if not text and field.needed:
                raise UnfitError(
                    _("{label}: needed; for example {value}").format(
                        label=_(field.label), value=field.example or field.choices[0][0]
                    )
                )
            if text and field.kind == "choice":
                words[field.name] = _choice(field, text)
            elif text:
                numbers[field.name] = READERS[field.kind](text)
        except UnfitError as unfit:
            problems.append((field.name, str(unfit)))
    if problems:
        raise refused(problems)
    return Given(numbers, words)


def refused(problems: Iterable[tuple[str, str]]) -> InvalidInputError:
    """The refusal that names each field with what is wrong there."""
    listed = list(problems)
    details: list[dict[str, object]] = [{"field": name, "message": message} for name, message in listed]
    return InvalidInputError("; ".join(message for _name, message in listed), details)


def missing(fields: Sequence[Field], typed: Mapping[str, str]) -> list[Field]:
    """The needed fields that are still empty."""
    return [field for field in fields if field.needed and not typed.get(field.name, "").strip()]


def in_bytes(text: str) -> Decimal:
    """A size with its unit, in bytes. Raises UnfitError."""
    found = re.fullmatch(r"(\S*?)\s*([A-Za-z]+)", text)
    by_fold = {unit.lower(): unit for unit in UNITS}
    if found is None:
        raise UnfitError(
            _("`{text}` has no unit: write GB (10^9 bytes) or GiB (2^30), which are 7 % apart").format(
                text=text[:SHOWN]
            )
        )
    unit = by_fold.get(found[2].lower())
    if unit is None:
        raise UnfitError(
            _("`{found}` is no unit of memory here; use {units}").format(found=found[2][:SHOWN], units=", ".join(UNITS))
        )
    return _number(found[1]) * UNITS[unit]


def _number(text: str) -> Decimal:
    if re.fullmatch(r"\d+(\.\d+)?[kKmM]", text, re.ASCII):
        raise UnfitError(
            _("`{text}`: write the number out; K is 1,000 to some and 1,024 to others").format(text=text[:SHOWN])
        )
    if re.fullmatch(r"\d{1,3}([,_ ]\d{3})+", text, re.ASCII):
        raise UnfitError(
            _("`{text}`: write {bare}, without separators").format(
                text=text[:SHOWN], bare=re.sub("[,_ ]", "", text[:SHOWN])
            )
        )
    if not _PLAIN.fullmatch(text):
        raise UnfitError(
            _("`{text}` is no positive number; write digits, with a point for decimals").format(text=text[:SHOWN])
        )
    number = Decimal(text)
    if number > MOST or 0 < number < LEAST:
        raise UnfitError(
            _("`{text}` is beyond anything measured here ({least} to 10^12)").format(
                text=text[:SHOWN], least=format(LEAST, "f")
            )
        )
    return number


def _positive(text: str) -> Decimal:
    number = _number(text)
    if number == 0:
        raise UnfitError(_("0 leaves nothing to divide by; it takes a number above 0"))
    return number


def _count(text: str) -> Decimal:
    number = _positive(text)
    grouped = re.fullmatch(r"\d{1,3}\.\d{3}", text, re.ASCII)  # a thousand, where the reader comes from
    if grouped or number != number.to_integral_value() or number > 10**9:
        raise UnfitError(_("`{text}`: it takes a whole number from 1 to 10^9").format(text=text[:SHOWN]))
    return number.to_integral_value()


def _percent(text: str) -> Decimal:
    """A bare number between 0 and 1 is refused: 0.96 is how many write 96 %."""
    bare = text.removesuffix("%").strip()
    number = _number(bare)
    if number > 100:
        raise UnfitError(_("`{text}`: it takes 0 to 100 percent").format(text=text[:SHOWN]))
    if 0 < number < 1 and bare == text:
        said = f"{(number * 100).normalize():f}"
        raise UnfitError(
            _("`{text}`: write {said} for {said} %, or `{bare} %` for so little").format(
                text=text[:SHOWN], said=said, bare=bare
            )
        )
    return number


def _share(text: str) -> Decimal:
    number = _positive(text)
    if number > 1:
        hint = (
            _("; for {text} % write {number}").format(text=text[:SHOWN], number=format(number / 100, "f"))
            if number <= 100
            else ""
        )
        raise UnfitError(
            _("`{text}`: it takes a share above 0 and up to 1, as the engine's flag does{hint}").format(
                text=text[:SHOWN], hint=hint
            )
        )
    return number


def _choice(field: Field, text: str) -> str:
    known = [value for value, _label in field.choices]
    if text not in known:
        raise UnfitError(
            _("`{text}` is no choice here; use {values}").format(
                text=text[:SHOWN], values=", ".join(value for value in known if value)
            )
        )
    return text


READERS: dict[Kind, Callable[[str], Decimal]] = {
    "count": _count,
    "number": _positive,
    "percent": _percent,
    "share": _share,
    "size": in_bytes,
}

"""What the values of a card may say, one by one: the checks behind the rules that look at one field (rules.py). Pure.

What people write in words stays theirs: a wording is warned of at most. An error is what can only be a slip, or what
would be read, shown and compared as another value than was meant.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.axes import AXES
from app.claims.schema import Fact
from app.language import F_

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.axes import Axis
    from app.cards.schema import Card

DIGIT = re.compile(r"\d", re.ASCII)
BARE = re.compile(r"[-+]?[\d.,_' \u00a0\u202f]*\d[.,]?\s*(?:[kKmM]\w{0,2})?", re.ASCII)  # a number, whatever its marks
LENGTH = re.compile(r"0*[1-9]\d{0,9}(?:\.0{1,2})?|[1-9]\d{0,3}(?:\.\d{1,2})? ?[kKM]i?", re.ASCII)
GROUPED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?![\d.,])", re.ASCII)
NEGATIVE = re.compile(r"(?:^|[A-Za-z]\s)-\d", re.ASCII)  # `20000 +-15 %` and `100 - 200` are none
COUNTED_NAME = re.compile(r"(\d+)\s*[xX\u00d7*]\s*(\S.*)", re.ASCII)
SIZE = re.compile(r"(?:DEP|PCP|DCP|TP|PP|DP|EP)\d+", re.IGNORECASE | re.ASCII)
MEANT_SIZE = re.compile(r"(?:DEP|PCP|DCP|TP|PP|DP|EP)(?![A-Za-z]{2})\W*\w{0,6}|\W*\d+", re.IGNORECASE | re.ASCII)
FROM_TO = re.compile(r"(?<![\w.,-])(-?\d+(?:\.\d+)?) (?:to|\u2013|-|\.\.\.?) (-?\d+(?:\.\d+)?)(?![\w.,])", re.ASCII)
PERCENTILE = re.compile(r"\bp\s?(\d+(?:\.\d+)?)", re.IGNORECASE | re.ASCII)
COMMIT = re.compile(r"[0-9a-f]{6,40}", re.IGNORECASE | re.ASCII)
CACHE = re.compile(r"\b(?:cleared|flushed|off|disabled|warm|cold|hits?)\b|%", re.IGNORECASE)
SWITCHED_ON = {"on", "yes", "true", "enabled", "1"}
MOVING = {"main", "master", "latest", "head", "nightly", "stable", "dev"}
UNSAID = {"n/a", "na", "tbd", "todo", "unknown", "not stated", "not known", "?", "??", "???", "-", "--", "...", "xxx"}
SITE = re.compile(r"(?:[\w-]+\.)+[A-Za-z]{2,}", re.ASCII)
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/*(?=\S)")
SECRET = re.compile(r"(?:^|[_-])(?:API_?-?KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)


def length(text: str | None) -> str | None:
    """Why a text is no length of a request in tokens; None for one, and for words (`median 142000`)."""
    if text is None or LENGTH.fullmatch(text):
        return None
    if NEGATIVE.search(text):
        return F_("{given} is negative; a length in tokens is 1 or more").format(given=text)
    if not BARE.fullmatch(text):
        return None
    if GROUPED.fullmatch(text):
        digits = re.sub("[.,]", "", text)
        form = F_(
            "{given} may be read in two ways: write whole tokens in digits alone, {digits}, "
            "or name the statistic: mean {point}"
        )
        return form.format(given=text, digits=digits, point=text.replace(",", "."))
    if text.strip("0.,_ ") == "":
        return F_("{given} is too few: a request has 1 token or more").format(given=text)
    form = F_("{given} is no whole number of tokens: write digits alone, 4096, or name the statistic: mean 32.5")
    return form.format(given=text)


def length_in_words(text: str | None) -> str | None:
    """What is unclear of a length that is written in words."""
    if text is None or length(text):
        return None
    if not DIGIT.search(text):
        return F_("holds no number: write 4096, or the statistic of lengths that differ: median 142000")
    grouped = GROUPED.search(text)
    if grouped is None:
        return None
    form = F_("holds {given}, which reads as {digits} or as {point}; write digits alone, with a point for decimals")
    return form.format(given=grouped[0], digits=re.sub("[.,]", "", grouped[0]), point=grouped[0].replace(",", "."))


def counted(name: str | None) -> str | None:
    match = COUNTED_NAME.fullmatch(name) if name else None
    form = F_("holds a count: write {count} as hardware.count, and {accelerator} here")
    return form.format(count=match[1], accelerator=match[2]) if match else None


def layout(note: str | None) -> str | None:
    """A size that was meant and cannot be read; words that describe a layout are no slip."""
    parts = re.split(r"[\s/+,]+", note.strip()) if note else []
    meant = all(MEANT_SIZE.fullmatch(part) for part in parts) and not all(SIZE.fullmatch(part) for part in parts)
    form = F_("{given} is no size: write TP4, DEP2 or TP8/EP8, or describe the layout in words")
    return form.format(given=note) if note and meant else None


def layout_in_words(note: str | None) -> str | None:
    bare = note and not DIGIT.search(note) and not layout(note)
    said = F_("holds no size such as TP4: nobody can tell how many GPUs hold one copy of the model")
    return said if bare else None


def spread(text: str | None) -> str | None:
    if text is None:
        return None
    if not DIGIT.search(text):
        return F_("holds no number: write how far the runs lie apart, 870.1 to 875.9 or std 3.2, or leave it empty")
    ends = FROM_TO.search(text)
    if ends and Decimal(ends[1]) > Decimal(ends[2]):
        return F_("runs from {low} down to {high}: the lower end comes first").format(low=ends[1], high=ends[2])
    return None


def outside(text: str | None, value: Decimal) -> str | None:
    """Of a result that does not lie between the two ends of its own spread."""
    ends = FROM_TO.search(text) if text else None
    if ends is None or spread(text) or Decimal(ends[1]) <= value <= Decimal(ends[2]):
        return None
    form = F_("is {low} to {high}, and the result {value} lies outside it: check both, and that their units agree")
    return form.format(low=ends[1], high=ends[2], value=value)


def percentile(text: str | None) -> str | None:
    found = PERCENTILE.search(text) if text else None
    form = F_("is {given}; a percentile lies above 0 and below 100")
    return form.format(given=text) if found and not 0 < Decimal(found[1]) < 100 else None


def statistic(text: str | None) -> str | None:
    wordless = text and not re.search("[A-Za-z]", text)
    form = F_("is {given}, which names no statistic, such as median, mean or P90")
    return form.format(given=text) if wordless else None


def address(text: str | None) -> str | None:
    """Of what begins like an address, or looks like one without its beginning, and leads nowhere."""
    if not text:
        return None
    if not text.lower().startswith(("https://", "http://")):
        scheme = SCHEME.match(text)
        first = text.partition("/")[0]
        blank = any(char.isspace() for char in text)
        if not blank and SITE.fullmatch(first) and ("/" in text or "www." in first):
            return F_("has no https:// before it, so that nobody can follow it: write https://{given}").format(
                given=text
            )
        strange = scheme and "/" in scheme[0]
        form = F_("begins with {scheme}; an address begins with https://")
        return form.format(scheme=scheme[0]) if scheme and strange else None
    try:
        named = urlsplit(text).hostname
    except ValueError:  # a bracket that is never closed
        named = None
    return None if named else F_("names no site behind https://")


def no_address(text: str | None) -> str | None:
    """Of words that lead nowhere; those with an edition or a path in them do (`MLPerf Inference v6.0, closed/...`)."""
    if not text or address(text):
        return None
    if not text.lower().startswith("http"):
        return None if DIGIT.search(text) else F_("is no address that readers can open; one begins with https://")
    blank = any(char.isspace() for char in text)
    said = F_("holds a blank, so nobody can click it: write the address alone, the rest as a note")
    return said if blank else None


def release(version: str | None) -> str | None:
    moves = version and not DIGIT.search(version)
    form = F_("{given} names no release: it stands for another build tomorrow; `pip show` prints the number")
    return form.format(given=version) if moves else None


def commit(text: str | None) -> str | None:
    wrong = text and not COMMIT.fullmatch(text)
    form = F_("{given} is no commit: it has 7 to 40 hex digits, and `git rev-parse HEAD` prints it")
    return form.format(given=text) if wrong else None


def revision(text: str | None) -> str | None:
    moves = text and text.lower() in MOVING
    form = F_("{given} moves: it stands for other weights tomorrow; write the commit that the hub shows")
    return form.format(given=text) if moves else None


def data_type(text: str | None) -> str | None:
    wordless = text and not DIGIT.search(text)
    form = F_("{given} names no type, such as bf16, fp8 or nvfp4")
    return form.format(given=text) if wordless else None


def cache(text: str | None) -> str | None:
    strange = text and not CACHE.search(text)
    form = F_("{given} is no state of a cache: write cleared, off, or warm with its hit rate")
    return form.format(given=text) if strange else None


def limit(text: str | None) -> str | None:
    return (
        F_("holds no number, so it limits nothing: p90_interactivity > 50 tok/s")
        if text and not DIGIT.search(text)
        else None
    )


def switched_on(method: str | None) -> str | None:
    nameless = method and method.lower() in SWITCHED_ON
    form = F_("{given} says that something was drafted, not by what: name the method, such as mtp or eagle3")
    return form.format(given=method) if nameless else None


def also(card: Card) -> str | None:
    """What is wrong with the further numbers, as with the result itself; the first of them."""
    for number, item in enumerate(card.also or (), start=1):
        if said := _figure(item.axis, item.unit, item.value, item.statistic):
            return F_("entry {number}: {said}").format(number=number, said=said)
    return None


def _figure(key: str, unit: str, value: Decimal, stat: str | None) -> str | None:
    axis = AXES.get(key)
    if axis is None:
        return F_("`{axis}` is not in the axis registry; /axes lists them").format(axis=key)
    wrong = unit_of(axis, unit) or percentile(stat)
    return wrong or (F_("is {value}; a rate, time or size is not negative").format(value=value) if value < 0 else None)


def unit_of(axis: Axis, unit: str) -> str | None:
    form = F_("`{unit}` is no unit of {said_axis}; it takes {either}")
    return None if unit in axis.units else form.format(unit=unit, said_axis=axis.name, either=" or ".join(axis.units))


def secret(card: Card) -> str | None:
    """The name of a variable or flag that seems to hold a secret."""
    launch = card.launch
    words = launch.argv or () if launch else ()
    flags = [(*word.partition("=")[::2], following) for word, following in zip(words, (*words[1:], ""), strict=False)]
    shown = [(name, value or following) for name, value, following in flags if name.startswith("--")]
    named = [*(launch.env or {}).items(), *shown] if launch else []
    found = next(
        (name for name, value in named if value.strip("*.x<>") and value[:1] != "$" and SECRET.search(name)), None
    )
    form = F_("{name} looks like a secret: a card is public and its revisions are kept; write ... in its place")
    return form.format(name=found) if found else None


def unsaid(card: Card) -> Iterator[tuple[str, str]]:
    """Every field that says in words that nothing is known, with what it says."""
    for block, inner in card:
        for part, text in inner if isinstance(inner, Fact) else ((None, inner),):
            if isinstance(text, str) and text.lower() in UNSAID:
                yield f"{block}.{part}" if part else block, text

"""Sentences that are kept or sent in English, said again in the language spoken. Pure.

A card's finding is stored once and read in every language. It was made from a form (`F_` of app/language.py), so it is
told from which, and what stood in the places of that form is put into the form's translation.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest
from string import Formatter

from app.language import ENGLISH, _, as_number, kept, spoken

KEPT = 10_000  # sentences
LONGEST = 2_000  # characters of a sentence: what people wrote stands in it in part, and a form with several places
# takes a time that grows with a power of the length
COUNT = re.compile(r"(\d[\d,.]*(?: or \d[\d,.]*)*) ([A-Za-z -]+?)s?")  # as app/protocol/english.py counts
JOINT = re.compile(r":? ")
LONGEST_NAME = 40  # letters of what may stand before a sentence: the name of a field


def retold(text: str) -> str | None:
    """`text`, which is English, in the language spoken; None where no known form gives it, or it is too long."""
    if spoken() is ENGLISH:
        return text
    return _retold(text) if len(text) <= LONGEST else None


@kept(KEPT)
def _retold(text: str) -> str | None:
    if text in spoken().texts:
        return _(text)
    for pattern, translation in _patterns(spoken().forms):
        match = pattern.fullmatch(text)
        if match and (values := _values(match.groupdict())) is not None:
            return translation.format(**values)
    return _count(text) or _sentence(text) or _after_name(text)


def _values(given: dict[str, str]) -> dict[str, str] | None:
    """What stands in the places; None where words that should be known are not: then it was another form."""
    found = {name: _value(name, value) for name, value in given.items()}
    return {name: value for name, value in found.items() if value is not None} if None not in found.values() else None


def _value(name: str, value: str) -> str | None:
    if name.startswith("said"):
        return _retold(value)
    if name.startswith("list"):
        said = [_retold(word) for word in value.split(", ")]
        return ", ".join(word for word in said if word is not None) if None not in said else None
    if name.startswith("either"):
        return value.replace(" or ", _(" or "))
    return as_number(value) if name.startswith("number") else value


def _count(text: str) -> str | None:
    match = COUNT.fullmatch(text)
    known = match and match[2] in spoken().texts
    return f"{as_number(match[1]).replace(' or ', _(' or '))} {_(match[2])}" if match and known else None


def _sentence(text: str) -> str | None:
    """Of what was made a sentence by a capital and a full stop."""
    bare = text.removesuffix(".")
    bare = bare[:1].lower() + bare[1:]
    again = _retold(bare) if bare != text and len(bare) > 1 else None
    if again is None:
        return None
    return (again[:1].upper() + again[1:] if text[:1].isupper() else again) + text[len(text.removesuffix(".")) :]


def _after_name(text: str) -> str | None:
    """Of a sentence behind the name of what it is about."""
    for joint in JOINT.finditer(text, 0, LONGEST_NAME):
        name, rest = text[: joint.start()], text[joint.end() :]
        if name in spoken().texts and (again := _retold(rest)) is not None:
            return f"{_(name)}{joint[0]}{again}"
    return None


@lru_cache(maxsize=10)
def _patterns(forms: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The forms, those around a sentence first (its own form would take in what stands around it), then those with the
    most words of their own: a sentence may fit a looser one too."""
    parsed = [(list(Formatter().parse(form)), translation) for form, translation in forms]
    parsed.sort(key=lambda one: ("{said}" not in one[1], -sum(len(words) for words, *_rest in one[0])))
    return tuple((re.compile(_pattern(parts), re.DOTALL), translation) for parts, translation in parsed)


def _pattern(parts: list[tuple[str, str | None, str | None, str | None]]) -> str:
    """A place that stands twice holds the same twice; one between backticks ends at the next."""
    found, known = "", set()
    for (words, name, _form, _conversion), following in zip_longest(parts, parts[1:]):
        found += re.escape(words)
        quoted = words.endswith("`") and following is not None and following[0].startswith("`")
        if name:
            found += f"(?P={name})" if name in known else f"(?P<{name}>{'[^`]*' if quoted else '.+?'})"
            known.add(name)
    return found

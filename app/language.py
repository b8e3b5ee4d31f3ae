"""The language that the words of this moment are said in: English, unless the one who answers a page says otherwise.

Only the pages speak another language (app/web/speaking.py). The API, files, pictures, the database, the log and the
runners keep to English, since what travels must be the same for everybody. Pure, and usable by every room.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, wraps
from gettext import NullTranslations
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Sequence
    from decimal import Decimal

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Language:
    """`code` as in <html lang>, `name` as its speakers call it; `point` and `group` of its numbers; `texts`: all
    that are translated; `forms`: those of sentences that are kept in English, with their translations."""

    code: str
    name: str
    words: NullTranslations
    point: str
    group: str
    day: Callable[[dt.date], str]
    moment: Callable[[dt.datetime], str]
    texts: frozenset[str] = frozenset()
    forms: tuple[tuple[str, str], ...] = ()


def N_(text: str) -> str:  # noqa: N802 (gettext's own name for it)
    """Marks the text of a constant for the catalogues; where it is shown, `_` says it."""
    return text


def F_(form: str) -> str:  # noqa: N802 (like N_)
    """Marks the form of a sentence that is kept or sent in English; where it is shown, app/retold.py says it again.

    What stands in a place of it stays as it is, but where the place's name begins with `said` (words or a count, which
    must be known and are said again too), `list` (of such words), `either` (alternatives) or `number` (it takes the
    marks of the language).
    """
    return form


def _moment(at: dt.datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


OWN_NAME = N_("English")  # a catalogue translates it by the name of its own language
ENGLISH = Language("en", OWN_NAME, NullTranslations(), ".", ",", lambda day: f"{day:%Y-%m-%d}", _moment)
_SPOKEN: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def spoken() -> Language:
    return _SPOKEN.get()


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Everything that is said inside is said in `language`."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def in_english(function: Callable[P, T]) -> Callable[P, T]:
    """For what makes a text that travels: it is the same on whichever page it stands."""

    @wraps(function)
    def said(*args: P.args, **kwargs: P.kwargs) -> T:
        with speaking(ENGLISH):
            return function(*args, **kwargs)

    return said


def _(text: str) -> str:
    """`text`, which is English, in the language spoken. Values are put in afterwards: `_("{n} of {all}").format(...)`,
    so that a language may order them in its own way."""
    return _SPOKEN.get().words.gettext(text) if text else ""


def ngettext(one: str, more: str, count: int | Decimal) -> str:
    """`one` or `more`, as the language counts."""
    return _SPOKEN.get().words.ngettext(one, more, 1 if count == 1 else 2)


def pgettext(sense: str, text: str) -> str:
    """Of a word that another language says differently in each `sense`."""
    return _SPOKEN.get().words.pgettext(sense, text)


def listed(items: Sequence[str]) -> str:
    """ "", "a", "a and b", "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return _("{first} and {last}").format(first=", ".join(items[:-1]), last=items[-1])


def number(value: float | Decimal, form: str = ",") -> str:
    """A number in Python's `form`, with the marks of the language."""
    return as_number(format(value, form))


def as_number(text: str) -> str:
    """A number that is written as in English, with the marks of the language. Never of a text that is quoted."""
    language = _SPOKEN.get()
    if language is ENGLISH:
        return text
    return text.translate({ord(","): language.group, ord("."): language.point})


def day(at: dt.date) -> str:
    """The date of a day; in English as ISO 8601 writes it."""
    return _SPOKEN.get().day(at)


def moment(at: dt.datetime) -> str:
    """A date and the time of the day, to the minute, in UTC."""
    return _SPOKEN.get().moment(at)


def kept(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Like lru_cache, for what says something: each language has its own answers. `most` counts them all together."""

    def keeping(function: Callable[P, T]) -> Callable[P, T]:
        @lru_cache(maxsize=most)
        def answer(_code: str, *args: P.args, **kwargs: P.kwargs) -> T:
            return function(*args, **kwargs)

        @wraps(function)
        def asked(*args: P.args, **kwargs: P.kwargs) -> T:
            return answer(_SPOKEN.get().code, *args, **kwargs)  # type: ignore[arg-type]  # as of lru_cache itself

        return asked

    return keeping

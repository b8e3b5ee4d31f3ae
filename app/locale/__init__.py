"""The other languages of the pages: their catalogues, and how their readers write numbers and dates.

A catalogue is read as it stands in the checkout, once a process: there is no compiled file beside it that could differ.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from babel import Locale, UnknownLocaleError, negotiate_locale
from babel.dates import format_date, format_time
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

from app.errors import SetupError
from app.language import ENGLISH, OWN_NAME, Language

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).parent
CATALOGUE = "LC_MESSAGES/benchcard.po"
FORM = "said again"  # the comment on a text that is the form of a sentence which is kept in English


@cache
def languages() -> Mapping[str, Language]:
    """Every language by its code, English first. Raises SetupError for a catalogue that cannot be read."""
    found = sorted(FOLDER.glob(f"*/{CATALOGUE}"))
    return {ENGLISH.code: ENGLISH} | {path.parts[-3]: read_language(path) for path in found}


def read_language(path: Path) -> Language:
    """The language of a catalogue, which lies in a folder of its name. Raises SetupError."""
    try:
        locale = Locale.parse(path.parts[-3])
        with path.open("rb") as file:
            catalogue = read_po(file, locale=locale, abort_invalid=True)
        compiled = BytesIO()
        write_mo(compiled, catalogue)
    except (OSError, ValueError, UnknownLocaleError, PoFileError) as error:
        raise SetupError(f"the catalogue {path} of a language cannot be read: {error}") from error
    compiled.seek(0)
    words, marks = GNUTranslations(compiled), locale.number_symbols["latn"]
    return Language(
        code=locale.language,
        name=words.gettext(OWN_NAME),
        words=words,
        point=marks["decimal"],
        group=marks["group"],
        day=partial(_day, locale),
        moment=partial(_moment, locale),
        texts=frozenset(str(message.id) for message in catalogue),
        forms=tuple((str(message.id), str(message.string)) for message in catalogue if FORM in message.auto_comments),
    )


@lru_cache(maxsize=10_000)
def _day(locale: Locale, at: dt.date) -> str:
    return format_date(at, "medium", locale)


@lru_cache(maxsize=10_000)
def _moment(locale: Locale, at: dt.datetime) -> str:
    return f"{_day(locale, at)} {format_time(at, 'short', locale=locale)} UTC"


def negotiated(preferred: Sequence[str]) -> Language:
    """The first of `preferred` that is known, regions aside (id-ID is id); English where none is."""
    known = languages()
    code = negotiate_locale(preferred, known, sep="-")
    return known.get(code or "", ENGLISH)

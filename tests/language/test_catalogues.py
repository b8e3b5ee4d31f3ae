"""The catalogues hold every text of code and templates, translated, and the templates hold no other text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from babel.messages.pofile import read_po
from jinja2 import nodes

from app.axes import AXES
from app.axes.glossary import TERMS
from app.errors import SetupError
from app.locale import CATALOGUE, FOLDER, read_language
from app.locale.messages import updated
from app.settings import ROOT
from app.web.render import ENVIRONMENT

if TYPE_CHECKING:
    from pathlib import Path

CATALOGUES = sorted(FOLDER.glob(f"*/{CATALOGUE}"))
CODES = [path.parts[-3] for path in CATALOGUES]
TEMPLATES = sorted(path.relative_to(ROOT / "templates").as_posix() for path in (ROOT / "templates").rglob("*.html"))
NAMES = {"Benchcard", "SHA", "JSON", "CSV", "YAML", "HTML", "Markdown", "PNG", "SVG"}  # the same in every language
PLACES = re.compile(r"%\(\w+\)s|\{\w*[^}]*\}|</?[a-z][^>]*>|^ | $")  # of values, of markup, of joints


@pytest.mark.parametrize("path", CATALOGUES, ids=CODES)
def test_a_catalogue_is_what_make_messages_makes_of_the_texts(path: Path) -> None:
    assert path.read_text() == updated(path), "run `make messages` and translate what is new"


@pytest.mark.parametrize("path", CATALOGUES, ids=CODES)
def test_every_text_is_translated_with_the_places_of_its_values(path: Path) -> None:
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parts[-3], abort_invalid=True)
    for message in catalogue:
        if not message.id:
            continue
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        allowed = {frozenset(PLACES.findall(text)) for text in _forms(message.id)}
        for translation in said:
            assert translation, f"{message.id!r} is not translated"
            assert set(PLACES.findall(str(translation))) in allowed, f"{message.id!r}: other places in {translation!r}"


@pytest.mark.parametrize("path", CATALOGUES, ids=CODES)
def test_every_sentence_of_the_axes_and_the_glossary_is_in_the_catalogue(path: Path) -> None:
    """They are constants, said by `_` of a variable: one that is put together from parts would never be found."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parts[-3])
    said = [term.says for term in TERMS]
    for axis in AXES.values():
        said += [axis.name, axis.definition, axis.formula, axis.tail, axis.numerator, axis.denominator, axis.window]
        said += [axis.source, *(tool.note for tool in axis.tools)]
    assert not [text for text in said if text not in catalogue]


def _forms(text: object) -> tuple[str, ...]:
    return tuple(text) if isinstance(text, tuple | list) else (str(text),)


class Bare(HTMLParser):
    """Collects the text that a reader sees or hears."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in ("code", "pre", "script", "style")
        self.found += [
            value or "" for name, value in attrs if name in ("title", "placeholder", "aria-label", "alt", "label")
        ]

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("code", "pre", "script", "style")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.found.append(data)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_says_nothing_that_cannot_be_translated(name: str) -> None:
    tree = ENVIRONMENT.parse((ROOT / "templates" / name).read_text())
    reader = Bare()
    reader.feed("".join(data.data for data in tree.find_all(nodes.TemplateData)))
    bare = {word for text in reader.found for word in re.findall(r"[^\W\d_]{2,}", text)} - NAMES
    assert not bare, "wrap it in _() or {% trans %}"


def test_a_broken_catalogue_stops_the_start_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "id" / CATALOGUE
    path.parent.mkdir(parents=True)
    path.write_text('msgid "Claims"\nmsgstr "Klaim"\nnonsense\n')
    with pytest.raises(SetupError, match=r"benchcard\.po of a language cannot be read: .*misformatted") as refused:
        read_language(path)
    assert "\n" not in refused.value.message

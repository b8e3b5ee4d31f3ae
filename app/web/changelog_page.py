"""CHANGELOG.md -> its page. It reads the file's own simple shape: sections, their items, code between backticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.language import N_, _
from app.web.contexts import Shell

ABOUT = N_("What changed in Benchcard, by release: what a reader or a script notices.")


@dataclass(frozen=True, slots=True)
class Wording:
    words: str
    code: bool


@dataclass(frozen=True, slots=True)
class Release:
    heading: str
    items: tuple[tuple[Wording, ...], ...]


@dataclass(frozen=True, slots=True)
class ChangelogPage:
    template: ClassVar[str] = "changelog/index.html"

    shell: Shell
    sections: tuple[Release, ...]


def changelog_page(text: str) -> ChangelogPage:
    """The sections of a change log, `text`, in its order."""
    return ChangelogPage(Shell(_("Changes"), _(ABOUT), ""), tuple(map(_section, f"\n{text}".split("\n## ")[1:])))


def _section(text: str) -> Release:
    heading, rest = text.partition("\n")[::2]
    return Release(heading.strip(), tuple(map(_pieces, f"\n{rest}".split("\n- ")[1:])))


def _pieces(item: str) -> tuple[Wording, ...]:
    """An item in one line, code by itself: every second piece stands between two backticks."""
    parts = " ".join(item.split()).split("`")
    return tuple(Wording(part, code=bool(place % 2)) for place, part in enumerate(parts) if part)

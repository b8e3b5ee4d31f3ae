"""What the import pages are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.contexts import Link, Shell


@dataclass(frozen=True, slots=True)
class Format:
    key: str
    tool: str
    files: str  # what the tool calls its file


@dataclass(frozen=True, slots=True)
class ImportPage:
    template: ClassVar[str] = "imports/index.html"

    shell: Shell
    formats: tuple[Format, ...]
    chosen: str  # "auto" or the key of a format
    most: str
    sign_in_url: str  # "" where the visitor may send a file
    trouble: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Warned:
    """A field of the file, and how its number may be misread."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One part of the file, as a card that may be recorded."""

    part: int
    chosen: bool
    headline: str
    axis: str
    axis_url: str
    where: str
    also: tuple[str, ...]
    warnings: tuple[Warned, ...]  # but for those of all measurements
    recorded: tuple[Link, ...]
    yaml: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A field that the file does not hold."""

    field: str
    label: str
    question: str
    hint: str
    value: str
    whose: str  # "" where it goes into all measurements
    options: tuple[str, ...]
    trouble: str


@dataclass(frozen=True, slots=True)
class Group:
    heading: str
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class ImportedPage:
    template: ClassVar[str] = "imports/detail.html"

    shell: Shell
    name: str
    tool: str
    size: str
    sha256: str
    file_url: str
    total: int  # measurements of the file
    measurements: tuple[Measurement, ...]  # those shown here
    earlier_url: str  # "" where none are before these
    later_url: str
    all_chosen: bool
    warnings: tuple[Warned, ...]  # of every measurement
    needed: tuple[Group, ...]  # without these no card can be recorded
    wanted: tuple[Group, ...]  # with these it can be repeated
    unread: tuple[str, ...]
    sign_in_url: str
    troubles: tuple[Link, ...]  # each leads to its field
    url: str
    new: tuple[Link, ...] = ()  # cards that were recorded just now

"""What the form of a card is given: frozen, complete, already worded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.web.contexts import Choice, Link, Shell


@dataclass(frozen=True, slots=True)
class OptionGroup:
    label: str  # "" for options that belong to no group
    options: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class FormField:
    """One field. `id` is its own without what stands before it (`f-`, `e-` for its error); `kind` is text, lines or
    select; `hint` is help that changes with another field."""

    id: str
    name: str
    label: str
    needed: bool
    help: str
    example: str
    value: str
    kind: str
    rows: int
    inputmode: str
    wide: bool
    list: str
    options: tuple[OptionGroup, ...]
    hint: str
    error: str


@dataclass(frozen=True, slots=True)
class FormGroup:
    id: str
    heading: str
    fields: tuple[FormField, ...]
    more: str
    rest: tuple[FormField, ...]
    open: bool


@dataclass(frozen=True, slots=True)
class Suggestions:
    id: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A finding in the panel: a link to its field or line, and what is wrong."""

    link: Link
    place: str  # "line:column" where the text is edited
    message: str
    rule: str


@dataclass(frozen=True, slots=True)
class Slot:
    """What changes beside a field while one types: its error, or the help that depends on another field."""

    id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckPart:
    """What recording the card as it stands would say."""

    template: ClassVar[str] = "cards/_checked.html"

    status: str
    ready: bool
    errors: tuple[Found, ...]
    needed: tuple[Link, ...]
    percent: int | None  # None where nothing of the card can be read
    warnings: tuple[Found, ...]
    questions: tuple[str, ...]
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Editor:
    """Both ways to write a card, of which one is in sight. `trouble` heads the summary of errors."""

    template: ClassVar[str] = "cards/_editor.html"

    tab: str
    action: str
    text: str
    groups: tuple[FormGroup, ...]
    lists: tuple[Suggestions, ...]
    units: Mapping[str, str]  # by axis, the first one that it takes
    check: CheckPart
    trouble: str
    sign_in_url: str  # "" for those who may record
    summary: tuple[Found, ...]
    revision: str  # "" for a new card
    note: str
    once: str
    record: str  # the button's words


@dataclass(frozen=True, slots=True)
class FormPage:
    template: ClassVar[str] = "cards/new.html"

    shell: Shell
    heading: str
    about: str
    begun: Link | None  # the card or claim that this one began as
    begun_note: str
    left_out: tuple[str, ...]
    leave_url: str
    draft: str  # names the draft that the browser keeps
    editor: Editor

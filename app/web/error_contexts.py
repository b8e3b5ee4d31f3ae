"""What the templates of errors are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.contexts import Link, Shell


@dataclass(frozen=True, slots=True)
class Alert:
    """An error told to a reader who stays on the page."""

    template: ClassVar[str] = "errors/_alert.html"

    heading: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ErrorPage:
    template: ClassVar[str] = "errors/error.html"

    shell: Shell
    status: int
    heading: str
    messages: tuple[str, ...]
    near: tuple[Link, ...]
    q: str

    def alert(self) -> Alert:
        return Alert(self.heading, self.messages)

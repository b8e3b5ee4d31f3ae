"""What the templates of clients held against each other are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.contexts import Fact, Shell


@dataclass(frozen=True, slots=True)
class HeldCell:
    """One number of a client; `apart` is how far it is from the server's own, `mark` whether that is too far."""

    value: str
    apart: str
    mark: bool


@dataclass(frozen=True, slots=True)
class ClientLine:
    name: str
    about: str
    word: str
    cells: tuple[HeldCell, ...]
    cores: str
    server_cores: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PointPart:
    heading: str
    said: str
    lines: tuple[ClientLine, ...]


@dataclass(frozen=True, slots=True)
class WorstLine:
    """A client with a cell for each load: how far it is apart where it is furthest, and in what."""

    name: str
    cells: tuple[HeldCell, ...]


@dataclass(frozen=True, slots=True)
class Worst:
    """All loads of a measurement at a glance."""

    loads: tuple[str, ...]
    lines: tuple[WorstLine, ...]


@dataclass(frozen=True, slots=True)
class AgreementPart:
    """One measurement: every load with every client."""

    url: str
    heading: str
    dummy: str
    facts: tuple[Fact, ...]
    points: tuple[PointPart, ...]
    worst: Worst


@dataclass(frozen=True, slots=True)
class AgreementPage:
    template: ClassVar[str] = "axes/agreement.html"

    shell: Shell
    share: str
    parts: tuple[AgreementPart, ...]
    example: str
    json_url: str

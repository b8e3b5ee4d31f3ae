"""A file on its way into an importer, and what an importer is. Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.results.importers.draft import one_choice, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.results.importers.schema import Format, Imported, ImportProblem


@dataclass(frozen=True)
class RawSource:
    """The file's name, without its folders, and the digest that identifies its bytes."""

    name: str
    sha256: str

    @classmethod
    def of(cls, name: str, data: bytes) -> RawSource:
        last = name.replace("\\", "/").rpartition("/")[2]
        return cls(one_choice(plain(last) or "unnamed"), hashlib.sha256(data).hexdigest())

    def as_raw(self) -> dict[str, str]:
        return {"name": self.name, "sha256": self.sha256}


@dataclass(frozen=True)
class Importer:
    """`fits` looks at one document's keys; `read` gives its cards and what could not be read."""

    format: Format
    fits: Callable[[Any], bool]
    version: Callable[[Any], str | None]
    read: Callable[[Any, RawSource, str], Iterator[Imported | ImportProblem]]


def no_version(_: Any) -> str | None:
    """For tools that do not write their version into the file."""
    return None

"""What of a catalogue file can be judged, also where another part of it is wrong. Pure.

So that one start tells every problem: an item that is wrong in one field is checked in the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from app.catalogue.schema import Ladder, Note, Round, Table
from app.claims.schema import Claim, Contradiction, Correction

if TYPE_CHECKING:
    from app.yaml_tree import Document

Item = TypeVar("Item", bound=BaseModel)
UNKNOWN = "?"  # stands among the unsound fields for keys that nobody knows: each may be a field's name mistyped


@dataclass(frozen=True)
class Part(Generic[Item]):
    """One item of a list. Its fields named in `unsound` could not be read and hold None."""

    item: Item
    unsound: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Parts:
    """The lists of one file that checks look at, each by an item's number in the file."""

    document: Document
    id: str | None
    claims: dict[int, Part[Claim]]
    rounds: dict[int, Part[Round]]
    ladders: dict[int, Part[Ladder]]
    tables: dict[int, Part[Table]]
    remarks: dict[str, dict[int, Part[Contradiction] | Part[Correction] | Part[Note]]] = field(default_factory=dict)

    def claim_ids(self) -> dict[int, str]:
        """Of all claims whose id can be read."""
        return {number: part.item.id for number, part in self.claims.items() if "id" not in part.unsound}


def parts(document: Document) -> Parts:
    """The parts of a parsed file whose groups are spread."""
    data = document.data
    given = data.get("id")
    return Parts(
        document=document,
        id=given if isinstance(given, str) else None,
        claims=_list(Claim, data.get("claims")),
        rounds=_list(Round, data.get("rounds")),
        ladders=_list(Ladder, data.get("ladders")),
        tables=_list(Table, data.get("tables")),
        remarks={
            "contradictions": dict(_list(Contradiction, data.get("contradictions"))),
            "corrections": dict(_list(Correction, data.get("corrections"))),
            "notes": dict(_list(Note, data.get("notes"))),
        },
    )


def _list(shape: type[Item], given: Any) -> dict[int, Part[Item]]:
    items = enumerate(given) if isinstance(given, list) else ()
    return {number: _part(shape, item) for number, item in items if isinstance(item, dict)}


def _part(shape: type[Item], given: dict[str, Any]) -> Part[Item]:
    try:
        return Part(shape.model_validate(given))
    except ValidationError:
        read = {name: _read(shape, name, given) for name in shape.model_fields}
    unsound = {name for name, value in read.items() if value is UNREAD}
    if set(given) - set(read):
        unsound.add(UNKNOWN)
    sound = {name: None if value is UNREAD else value for name, value in read.items()}
    return Part(shape.model_construct(**sound), frozenset(unsound))


UNREAD = object()


def _read(shape: type[BaseModel], name: str, given: dict[str, Any]) -> Any:
    info = shape.model_fields[name]
    if name not in given:
        return UNREAD if info.is_required() else info.get_default(call_default_factory=True, validated_data={})
    try:
        return _adapter(shape, name).validate_python(given[name])
    except ValidationError:
        return UNREAD


@cache
def _adapter(shape: type[BaseModel], name: str) -> TypeAdapter[Any]:
    return TypeAdapter(shape.model_fields[name].rebuild_annotation())

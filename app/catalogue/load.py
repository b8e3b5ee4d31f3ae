"""Catalogue text -> validated sources, or every problem with file, line and column. Pure: no database, no clock.

A file may put claims into `groups`, each with `shared` fields that all its claims take unless they say otherwise; this
keeps a table's conditions written once. After loading nothing of the grouping is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.catalogue.check import check_references
from app.catalogue.schema import Source
from app.errors import CatalogueError
from app.yaml_tree import Document, Path, Problem, explain, parse

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class LoadedSource:
    """A source with the hash of the bytes that it was read from, by which a repeated load is recognised."""

    source: Source
    content_hash: str


def load_catalogue(files: Iterable[tuple[str, str]]) -> list[LoadedSource]:
    """Read `(name, text)` pairs. Raises CatalogueError with all problems of all files; never a partial catalogue."""
    loaded: list[LoadedSource] = []
    read: list[tuple[Document, Source]] = []
    problems: list[Problem] = []
    for name, text in files:
        document, source = load_source(name, text)
        problems += document.problems
        if source:
            read.append((document, source))
            loaded.append(LoadedSource(source, sha256(text.encode()).hexdigest()))
    problems += check_references(read)
    if problems:
        raise CatalogueError(sorted(problems))
    return loaded


def load_source(name: str, text: str) -> tuple[Document, Source | None]:
    """Read one file. The document carries its problems; the source is None where it has any."""
    document = parse(text, name)
    if not isinstance(document.data, dict):
        if not document.problems:
            document.problem((), "a catalogue file is a mapping that begins with `id:`")
        return document, None
    _spread_groups(document)
    try:
        source = Source.model_validate(document.data)
    except ValidationError as error:
        for path, message in explain(error, Source):
            document.problem(path, message)
        return document, None
    return document, None if document.problems else source


def _spread_groups(document: Document) -> None:
    """Turn `groups` into plain `claims`, keeping for each value the place where it is written."""
    groups = document.data.pop("groups", None) or []
    claims = document.data.setdefault("claims", []) or []
    if not isinstance(groups, list) or not isinstance(claims, list):
        document.problem(("groups",), "`groups` and `claims` are lists")
        return
    document.data["claims"] = claims
    for number, group in enumerate(groups):
        at: Path = ("groups", number)
        if not isinstance(group, dict) or not set(group) <= {"shared", "claims"}:
            document.problem(at, "a group has the keys `shared` and `claims` only")
            continue
        for index, own in enumerate(group.get("claims") or []):
            target: Path = ("claims", len(claims))
            _copy_places(document, (*at, "shared"), target)
            _copy_places(document, (*at, "claims", index), target)
            claims.append(merge(group.get("shared"), own))


def _copy_places(document: Document, origin: Path, target: Path) -> None:
    depth = len(origin)
    moved = {(*target, *path[depth:]): place for path, place in document.places.items() if path[:depth] == origin}
    document.places.update(moved)


def merge(shared: Any, own: Any) -> Any:
    """`own` over `shared`: mappings merge key by key, lists of caveats add up, everything else is replaced."""
    if not isinstance(shared, dict) or not isinstance(own, dict):
        return own if own is not None else shared
    merged = {**shared}
    for key, value in own.items():
        if key == "caveats" and isinstance(value, list) and isinstance(shared.get(key), list):
            merged[key] = [*shared[key], *value]
        else:
            merged[key] = merge(shared.get(key), value) if key in shared and isinstance(value, dict) else value
    return merged

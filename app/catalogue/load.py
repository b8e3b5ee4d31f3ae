"""Catalogue text -> validated sources, or every problem with file, line and column. Pure: no database, no clock.

A file may put claims into `groups`, each with `shared` fields that all its claims take unless they say otherwise; this
keeps a table's conditions written once. After loading nothing of the grouping is left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.catalogue.check import Known, check_all
from app.catalogue.parts import Parts, parts
from app.catalogue.schema import Source
from app.catalogue.texts import parse_clean
from app.errors import CatalogueError
from app.yaml_tree import Document, Path, Problem, explain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.catalogue.files import Unread

ID = re.compile(r"(?:^|[\s{,])id:\s*[\"']?([a-z0-9]+(?:[-.][a-z0-9]+)*)", re.MULTILINE)
CLAIMS = "is a list of claims, each with `- ` before its first field"


@dataclass(frozen=True)
class LoadedSource:
    """A source with the hash of the bytes that it was read from, by which a repeated load is recognised."""

    source: Source
    content_hash: str


@dataclass(frozen=True)
class ReadSources:
    """What reading files gave. `loaded` lacks those with problems; `known` has their claims, too."""

    loaded: list[LoadedSource]
    problems: list[Problem]
    known: Known


def load_catalogue(files: Iterable[tuple[str, str]]) -> list[LoadedSource]:
    """Read `(name, text)` pairs. Raises CatalogueError with all problems of all files; never a partial catalogue."""
    read = read_sources(files)
    if read.problems:
        raise CatalogueError(read.problems)
    return read.loaded


def read_sources(files: Iterable[tuple[str, str]], unread: Sequence[Unread] = ()) -> ReadSources:
    """Read `(name, text)` pairs beside files that could not be read, whose claims nobody is to miss."""
    judged: list[Parts] = []
    sound: list[tuple[Document, LoadedSource]] = []
    documents: list[Document] = []
    torn = [item.text or "" for item in unread]
    for name, text in files:
        document, source = load_source(name, text)
        documents.append(document)
        if isinstance(document.data, dict):
            judged.append(parts(document))
        if not isinstance(document.data, dict) or document.torn:
            torn.append(text)
        if source:
            sound.append((document, LoadedSource(source, sha256(text.encode()).hexdigest())))
    ids = {claim for file in judged for claim in file.claim_ids().values()}
    ids |= {match[1] for text in torn for match in ID.finditer(text)}
    known = Known(frozenset(ids), complete=all(item.text is not None for item in unread))
    check_all(judged, known)
    problems = [item.problem for item in unread] + [problem for item in documents for problem in _once(item)]
    return ReadSources([item for document, item in sound if not document.problems], sorted(problems), known)


def load_source(name: str, text: str) -> tuple[Document, Source | None]:
    """Read one file. The document carries its problems of form; the source is None where it has any."""
    document = parse_clean(text, name)
    if not isinstance(document.data, dict):
        if not document.problems:
            document.problem((), "a catalogue file is a mapping that begins with `id:`")
        return document, None
    _spread_groups(document)
    try:
        source = Source.model_validate(document.data)
    except ValidationError as error:
        document.explained(explain(error, Source))
        return document, None
    return document, None if document.problems else source


def _once(document: Document) -> list[Problem]:
    """What a group's shared fields have wrong is said of its first claim, not of each."""
    first: dict[tuple[object, ...], Problem] = {}
    for problem in document.problems:
        field = re.sub(r"^claims\[\d+\]", "", problem.path)
        first.setdefault((problem.place, field, problem.message), problem)
    return list(first.values())


def _spread_groups(document: Document) -> None:
    """Turn `groups` into plain `claims`, keeping for each value the place where it is written."""
    groups = _list(document, document.data.pop("groups", None), ("groups",), "is a list of groups")
    claims = _list(document, document.data.get("claims"), ("claims",), CLAIMS)
    document.data["claims"] = claims
    for number, group in enumerate(groups):
        _spread(document, group, ("groups", number))


def _spread(document: Document, group: Any, at: Path) -> None:
    if not isinstance(group, dict):
        document.problem(at, "is a mapping with the keys `shared` and `claims`")
        return
    for key in sorted(set(group) - {"shared", "claims"}):
        document.problem((*at, key), "is not a known key; a group has `shared` and `claims`")
    shared = group.get("shared")
    if shared is not None and not isinstance(shared, dict):
        document.problem((*at, "shared"), "is a mapping of the fields that the group's claims take")
        shared = None
    if group.get("claims") is None:
        document.problem((*at, "claims"), "is missing: a group is there for its claims")
    claims = document.data["claims"]
    for index, own in enumerate(_list(document, group.get("claims"), (*at, "claims"), CLAIMS)):
        target: Path = ("claims", len(claims))
        _copy_places(document, (*at, "shared"), target)
        _copy_places(document, (*at, "claims", index), target)
        claims.append(merge(shared, own))


def _list(document: Document, given: Any, path: Path, what: str) -> list[Any]:
    """A list as it is, nothing as an empty one, all else as a problem."""
    if given is None or isinstance(given, list):
        return given or []
    document.problem(path, what)
    return []


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

"""YAML as people type it: a tree of strings in which every value knows its line and column.

Owns the reading of YAML only; what a string means is decided by the field that takes it, so `no` is no boolean, `1e3`
no surprise and `010` no octal. Anchors, aliases, tags and duplicate keys are refused, because a reader who reviews a
file must see what it says.
"""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import yaml

from app.language import F_, in_english
from app.protocol.english import refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import BaseModel, ValidationError

Path = tuple[str | int, ...]
DEEPEST = 32
LONGEST_KEY = 60  # characters of a key or a value that a message repeats
FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # YAML 1.1, 5.1
BLOCK = re.compile(r'"#/\$defs/([^"]+)"')  # of a model, as its JSON schema refers to it
NULLS = {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True, order=True)
class Place:
    """Where a value stands: 1-based line and column."""

    line: int
    column: int


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong with a file, with what a person needs to mend it."""

    file: str
    place: Place
    path: str
    message: str

    def __str__(self) -> str:
        where = f" {self.path}:" if self.path else ""
        return f"{self.file}:{self.place.line}:{self.place.column}:{where} {self.message}"


@dataclass
class Document:
    """A parsed file. `data` holds only dicts, lists, strings and None; `places` maps each value's path to its place;
    `torn` says that the text holds more than `data`, because it could not be read to its end."""

    file: str
    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    torn: bool = False

    def place(self, path: Path) -> Place:
        """The place of `path`, or of its nearest parent that stands in the file."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(1, 1))

    def problem(self, path: Path, message: str, place: Place | None = None) -> None:
        self.problems.append(Problem(self.file, place or self.place(path), path_text(path), message))

    def explained(self, problems: Iterable[tuple[Path, str]], at: Path = ()) -> None:
        """Take in what `explain` found of the value at `at`; a value that is a problem already is told once."""
        told = {problem.path for problem in self.problems}
        for path, message in problems:
            if path_text((*at, *path)) not in told:
                self.problem((*at, *path), message)


def shown(text: str, longest: int = LONGEST_KEY) -> str:
    """A text as a message repeats it: in one line, printable, and of a long one the beginning."""
    cut = text if len(text) <= longest else f"{text[:longest]}..."
    return cut if cut.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)


def _not_allowed(code: int) -> str:
    if 0xD800 <= code < 0xE000:
        return F_("this is not text: half of a surrogate pair stands here")
    return F_("this is not YAML: the character {code} is not allowed").format(code=f"U+{code:04X}")


def path_text(path: Path) -> str:
    """A path as people write it: `claims[3].conditions.load`. Of a key that is no name the beginning will do."""
    text = ""
    for part in path:
        name = f"[{part}]" if isinstance(part, int) else shown(part)
        text += name if isinstance(part, int) or not text else f".{name}"
    return text


def parse(text: str, file: str, most_values: int | None = None) -> Document:
    """Read one YAML document. All problems found are in the result; `data` is None where there is no tree at all, also
    where it has more than `most_values`."""
    document = Document(file)
    if bad := FORBIDDEN.search(text):
        before = text[: bad.start()]
        place = Place(before.count("\n") + 1, bad.start() - before.rfind("\n"))
        document.problem((), _not_allowed(ord(bad[0])), place)
        return document
    try:
        events = yaml.parse(text, Loader=yaml.CSafeLoader)
        _Builder(document, events, most_values).build()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
        why = error.problem or str(error)
        document.problem((), F_("this is not YAML: {why}").format(why=why), place)
    except yaml.YAMLError as error:  # characters that YAML forbids
        document.problem((), F_("this is not YAML: {why}").format(why=error), Place(1, 1))
    return document


class _Builder:
    """Builds the tree from the event stream, so that nothing is resolved behind the reader's back."""

    def __init__(self, document: Document, events: Iterator[yaml.Event], most_values: int | None) -> None:
        self.document = document
        self.events = events
        self.most_values = most_values
        self.values = 0

    def build(self) -> None:
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    second = F_("a second document begins here (`---`); keep one document in a file")
                    self._refuse(event, (), second)
                    self.document.torn = True
                    return
                self.document.data = self._value(next(self.events), ())

    def _refuse(self, event: yaml.Event, path: Path, message: str) -> None:
        self.document.problem(path, message, _place(event))

    def _value(self, event: yaml.Event, path: Path) -> Any:
        mark = cast("yaml.error.Mark", event.start_mark)
        if len(path) > DEEPEST:
            deep = F_("nested deeper than {number} levels").format(number=DEEPEST)
            raise yaml.MarkedYAMLError(problem=deep, problem_mark=mark)
        self.values += 1
        if self.most_values is not None and self.values > self.most_values:
            many = F_("more than {number} values").format(number=self.most_values)
            raise yaml.MarkedYAMLError(problem=many, problem_mark=mark)
        self.document.places[path] = _place(event)
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, path, F_("aliases (`*name`) are not taken; write the value out"))
            return None
        node = cast("yaml.ScalarEvent | yaml.CollectionStartEvent", event)
        self._plain(node, path)
        if isinstance(event, yaml.ScalarEvent):
            return None if not event.style and event.value in NULLS else event.value
        return self._mapping(path) if isinstance(event, yaml.MappingStartEvent) else self._sequence(path)

    def _plain(self, node: yaml.ScalarEvent | yaml.CollectionStartEvent, path: Path) -> None:
        if node.anchor:
            self._refuse(node, path, F_("anchors (`&name`) are not taken; remove it"))
        if node.tag:
            self._refuse(node, path, F_("tags ({tag}) are not taken; remove it").format(tag=shown(node.tag)))

    def _sequence(self, path: Path) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                self._refuse(event, path, F_("a key must be plain text"))
                self._value(event, (*path, "?"))
                self._value(next(self.events), (*path, "?"))
                continue
            key = str(event.value)
            self._plain(event, (*path, key))
            value = self._value(next(self.events), (*path, key))
            if key in items:
                self._refuse(event, path, F_("`{key}` stands twice; keep one").format(key=shown(key)))
            items[key] = value
        return items


def _place(event: yaml.Event) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)


def explain(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[Path, str]]:
    """Pydantic's problems as (path, sentence); unknown keys come with the nearest known one."""
    known = sorted(_paths(model))
    for item in error.errors(include_url=False):
        path = tuple(item["loc"])
        yield path, _sentence(item, path, known)


@in_english
def _sentence(item: Mapping[str, Any], path: Path, known: list[str]) -> str:
    kind, given = item["type"], item.get("input")
    if kind == "missing":
        return refusal(item)
    if kind == "extra_forbidden":
        near = _near(path, known)
        return F_("is not a known key; did you mean `{key}`?").format(key=near) if near else F_("is not a known key")
    if isinstance(given, str):
        return F_("{said}, got `{given}`").format(said=refusal(item), given=shown(given))
    return F_("{said}, got nothing").format(said=refusal(item)) if given is None else refusal(item)


def _near(path: Path, known: list[str]) -> str | None:
    """The known key that looks like the last one of `path`: by its name alone where it stands in the same block, else
    with the block that it belongs into."""
    block = ".".join(str(part) for part in path[:-1] if isinstance(part, str))
    places: dict[str, list[str]] = {}
    for place in known:
        places.setdefault(place.rpartition(".")[2], []).append(place)
    near = difflib.get_close_matches(str(path[-1])[:LONGEST_KEY], sorted(places), n=1)
    if not near:
        return None
    here = f"{block}.{near[0]}" if block else near[0]
    return near[0] if here in places[near[0]] else places[near[0]][0]


def _paths(model: type[BaseModel]) -> Iterator[str]:
    """Every key that a model has, with the blocks around it; of a list those of its entries."""
    schema = model.model_json_schema()
    blocks = schema.get("$defs", {})

    def within(shape: dict[str, Any], prefix: str) -> Iterator[str]:
        for key, inner in shape.get("properties", {}).items():
            yield f"{prefix}{key}"
            for name in sorted(set(BLOCK.findall(json.dumps(inner)))):
                yield from within(blocks[name], f"{prefix}{key}.")

    yield from within(schema, "")

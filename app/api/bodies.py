"""Reading what is sent: counted while it comes in, and as strictly as a card is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError

from app import json_tree
from app.cards.load import MOST_BYTES, ReadCard, Syntax, decode, read_bytes
from app.cards.rules import Finding
from app.cards.text import clean
from app.errors import BodyInvalidError, CardInvalidError, TooLargeError, UnsupportedTypeError
from app.protocol.english import refusal
from app.yaml_tree import Document, explain, shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T", bound=BaseModel)

MOST_MESSAGE = 1 << 20  # bytes of a runner's message, or of a piece of its log
MOST_TOLD = 20

MEDIA_TYPES: dict[str, Syntax] = {
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "text/yaml": "yaml",
    "text/x-yaml": "yaml",
    "application/json": "json",
}


@dataclass(frozen=True)
class Body:
    """A request's body with its media type."""

    data: bytes
    media_type: str

    def card(self) -> ReadCard:
        """Raises UnsupportedTypeError for what is neither YAML nor JSON."""
        syntax = MEDIA_TYPES.get(self.media_type)
        if syntax is None:
            listed = "application/yaml or application/json"
            raise UnsupportedTypeError(f"send a card as {listed}, not as `{self.media_type[:80] or 'no type'}`")
        return read_bytes(self.data, "body", syntax)

    def json(self, model: type[T]) -> T:
        """A small JSON body. Raises BodyInvalidError with the place of every problem, UnsupportedTypeError."""
        if self.media_type != "application/json":
            raise UnsupportedTypeError(f"send application/json, not `{self.media_type[:80] or 'no type'}`")
        text = decode(self.data)
        if isinstance(text, Finding):
            raise _no_such([text])
        document = json_tree.parse(text, "body")
        if isinstance(document.data, dict):
            _quoted(document, text, model)
            clean(document)
        return _validated(document, model)

    def message(self, model: type[T]) -> T:
        """A message of the wire, by its own strict rules. Raises BodyInvalidError, UnsupportedTypeError."""
        if self.media_type != "application/json":
            raise UnsupportedTypeError(f"send application/json, not `{self.media_type[:80] or 'no type'}`")
        twice = json_tree.twice(self.data)
        if twice is not None:
            raise _no_such([Finding("E-form", "error", "", f"the key `{shown(twice)}` stands twice; keep one")])
        try:
            return model.model_validate_json(self.data)
        except ValidationError as error:
            found = [(".".join(map(str, item["loc"])), refusal(item)) for item in error.errors(include_url=False)]
        raise _no_such([Finding("E-form", "error", path[:200], message) for path, message in found[:MOST_TOLD]])


def _quoted(document: Document, text: str, model: type[BaseModel]) -> None:
    """JSON has text of its own kind: a number or `true` is none, though the tree holds it as it was written."""
    lines = text.split("\n")
    for name in document.data.keys() & {key for key, field in model.model_fields.items() if field.annotation is str}:
        place = document.places[(name,)]
        if isinstance(document.data[name], str) and lines[place.line - 1][place.column - 1] != '"':
            document.problem((name,), f"is text in double quotes, got `{shown(document.data[name])}`")


def _reader(most: int) -> Callable[[Request], Awaitable[Body]]:
    async def read_body(request: Request) -> Body:
        """As a dependency. Raises TooLargeError as soon as more has come than there may be."""
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced) > most:
            raise _too_large(most)
        parts, size = [], 0
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise _too_large(most)
            parts.append(part)
        return Body(b"".join(parts), _media_type(request))

    return read_body


read_body = _reader(MOST_BYTES)
BodyOf = Annotated[Body, Depends(read_body)]
MessageOf = Annotated[Body, Depends(_reader(MOST_MESSAGE))]


def invalid(findings: list[Finding] | tuple[Finding, ...]) -> CardInvalidError:
    """A card's findings, every one as a detail of one error."""
    return CardInvalidError(*_told(findings))


def _no_such(findings: list[Finding]) -> BodyInvalidError:
    """The same of a body that is no card."""
    return BodyInvalidError(*_told(findings))


def _told(findings: list[Finding] | tuple[Finding, ...]) -> tuple[str, list[dict[str, Any]]]:
    errors = [finding for finding in findings if finding.severity == "error"]
    first = errors[0]
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    said = f"{first.field}: {first.message}" if first.field else first.message
    return f"{said}{more}", [detail(finding) for finding in findings]


def detail(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "field": finding.field,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "message": finding.message,
    }


def _validated(document: Document, model: type[T]) -> T:
    if not document.problems:
        try:
            return model.model_validate(document.data)
        except ValidationError as error:
            for path, message in explain(error, model):
                document.problem(path, message)
    found = [Finding("E-form", "error", item.path, item.message, item.place) for item in sorted(document.problems)]
    raise _no_such(found)


def _too_large(most: int) -> TooLargeError:
    return TooLargeError(f"a body here has at most {most // 1024} KB")


def _media_type(request: Request) -> str:
    """Without its parameters, but for a charset that is not UTF-8: such a body would be misread."""
    kind, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    charset = parameters.partition("charset=")[2].strip(' "')
    return kind.strip() if not charset or charset.startswith("utf-8") else f"{kind.strip()}; charset={charset}"

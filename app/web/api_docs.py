"""The OpenAPI description -> the page at /api/docs. Pure: what the page says is what the machines are told.

A page of ours and not Swagger UI: that would load scripts from another host, or bring a megabyte of its own.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, urlencode

from app.language import N_, _
from app.web.contexts import Shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    Json = dict[str, Any]

ABOUT = N_("Every address of the JSON API, what it takes and what it answers.")
IN_JSON = re.compile(r"\b(?:None|True|False)\b")
FORMATS = {"date": N_("date")}
# The kinds of JSON, as OpenAPI calls them.
KINDS = (N_("string"), N_("integer"), N_("number"), N_("boolean"), N_("object"), N_("null"))


@dataclass(frozen=True, slots=True)
class Typed:
    """A type in words; `shape` is the name of the shape it is made of, where it is one described on the page."""

    text: str
    shape: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A parameter or a field of a shape."""

    name: str
    type: Typed
    required: bool
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back with a status, or what is sent as a media type."""

    kind: str
    type: Typed
    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    anchor: str
    method: str
    path: str
    text: str
    parameters: tuple[NamedValue, ...]
    bodies: tuple[Answer, ...]
    example: str  # a command to paste, "" where there is none
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    text: str
    fields: tuple[NamedValue, ...]


@dataclass(frozen=True, slots=True)
class ApiDocs:
    template: ClassVar[str] = "api/docs.html"
    shell: Shell
    version: str
    operations: tuple[Operation, ...]
    shapes: tuple[Shape, ...]


def api_docs(described: Json, root: str) -> ApiDocs:
    """Everything that an OpenAPI description says, in its order; shapes by name. `root`: this server's address."""
    shapes = described["components"]["schemas"]
    return ApiDocs(
        shell=Shell(_("API"), _(ABOUT), "/api/docs"),
        version=described["info"]["version"],
        operations=tuple(_operations(described["paths"], root)),
        shapes=tuple(_shape(name, shapes[name]) for name in sorted(shapes)),
    )


def _operations(paths: Json, root: str) -> Iterator[Operation]:
    for path, methods in paths.items():
        for method, said in methods.items():
            yield Operation(
                anchor=said["operationId"],
                method=method.upper(),
                path=path,
                text=_told(said),
                parameters=tuple(map(_parameter, said.get("parameters", []))),
                bodies=tuple(_bodies(said.get("requestBody", {}))),
                example=_example(root, path, method, said),
                answers=tuple(_answer(status, answer) for status, answer in said["responses"].items()),
            )


def _example(root: str, path: str, method: str, said: Json) -> str:
    """The description's own example as a command of curl."""
    values = {item["name"]: (item["in"], item["example"]) for item in said.get("parameters", []) if "example" in item}
    sent = said.get("requestBody", {}).get("content", {}).values()
    body = next((of["example"] for of in sent if "example" in of), None)
    if not values and (body is None or "{" in path):
        return ""
    for name, (place, value) in values.items():
        path = path.replace(f"{{{name}}}", quote(str(value))) if place == "path" else path
    asked = [(name, str(value)) for name, (place, value) in values.items() if place == "query"]
    url = shlex.quote(f"{root}{path}" + (f"?{urlencode(asked)}" if asked else ""))
    if body is None:
        return f"curl {url}"
    kind, text = ("application/yaml", body) if isinstance(body, str) else ("application/json", json.dumps(body))
    token = "" if path.endswith("/validate") else ' -H "Authorization: Bearer $BENCHCARD_TOKEN"'
    return f"curl -X {method.upper()}{token} -H 'Content-Type: {kind}' --data-binary {shlex.quote(text)} {url}"


def _told(said: Json) -> str:
    """A description in JSON's words; those of the code come from its docstrings."""
    return IN_JSON.sub(
        lambda found: {"None": "null", "True": "true", "False": "false"}[found[0]], said.get("description", "")
    )


def _parameter(said: Json) -> NamedValue:
    return NamedValue(said["name"], _typed(said["schema"]), said["required"], _told(said))


def _bodies(said: Json) -> Iterator[Answer]:
    for kind, content in said.get("content", {}).items():
        yield Answer(kind, _typed(content.get("schema", {})), _told(said))


def _answer(status: str, said: Json) -> Answer:
    kinds: Json = said.get("content") or {"": {"schema": {}}}
    kind, content = next(iter(kinds.items()))
    found = _typed(content.get("schema", {}))
    return Answer(status, found if kind == "application/json" else Typed(kind), _told(said))


def _shape(name: str, said: Json) -> Shape:
    required = said.get("required", [])
    fields = said.get("properties", {}).items()
    return Shape(
        name=name,
        text=_told(said).split("\n\n")[0],
        fields=tuple(NamedValue(field, _typed(of), field in required, _told(of)) for field, of in fields),
    )


def _typed(said: Json) -> Typed:
    if "$ref" in said:
        name = said["$ref"].rpartition("/")[2]
        return Typed(name, name)
    if "anyOf" in said:
        return _either([_typed(part) for part in said["anyOf"]])
    if "enum" in said or "const" in said:
        values = tuple(str(value) for value in said.get("enum", [said.get("const")]))
        return Typed(_("one of"), values=values)
    if said.get("type") == "array":
        parts = said.get("prefixItems")
        inner = _either(list(dict.fromkeys(map(_typed, parts)))) if parts else _typed(said.get("items", {}))
        return Typed(_("list of {text}").format(text=inner.text), inner.shape, inner.values)
    if said.get("type") == "string" and "pattern" in said and r"\d*\.?\d*" in said["pattern"]:
        return Typed(_("number as text"))
    return Typed(_(FORMATS.get(said.get("format", "")) or said.get("type") or N_("anything")))


def _either(parts: list[Typed]) -> Typed:
    shape = next((part.shape for part in parts if part.shape), "")
    values = tuple(value for part in parts for value in part.values)
    return Typed(_(" or ").join(part.text for part in parts), shape, values)

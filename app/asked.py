"""How the query of an address is read: by one rule, for pages and API.

An empty value is as if it were not given. A parameter that takes one value is given once. Control characters stand in
no value. What breaks the rule is taken out before any route reads the query, and told: the API refuses, a page shows
the rest with a note.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_origin
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel
from starlette.datastructures import QueryParams

from app.claims.search import CONTROLS
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapi import Request
    from fastapi.routing import APIRoute
    from starlette.types import Scope

SHOWN = 80  # characters of a given name that are repeated
MOST = 20  # unknown names that are told


@dataclass(frozen=True)
class Parameters:
    """What an address takes: names that stand once, and names that may stand several times."""

    one: frozenset[str] = frozenset()
    many: frozenset[str] = frozenset()

    def __or__(self, other: Parameters) -> Parameters:
        return Parameters(self.one | other.one, self.many | other.many)

    def known(self) -> list[str]:
        return sorted(self.one | self.many)


@dataclass(frozen=True)
class Misread:
    """A parameter that could not be taken. `unknown`: no parameter of this address, so nothing of it is missing."""

    field: str
    message: str
    near: tuple[str, ...] = ()
    unknown: bool = False


def declared(route: APIRoute) -> Parameters:
    """What a route's own function declares."""
    found = Parameters()
    for field in route.dependant.query_params:
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            fields = annotation.model_fields
            found |= _sorted_out((name, item.annotation) for name, item in fields.items())
        else:
            found |= _sorted_out([(field.alias, annotation)])
    return found


def _sorted_out(fields: Iterable[tuple[str, Any]]) -> Parameters:
    kinds = {name: get_origin(annotation) is list for name, annotation in fields}
    return Parameters(
        frozenset(name for name, many in kinds.items() if not many),
        frozenset(name for name, many in kinds.items() if many),
    )


def root(request: Request) -> str:
    """This server's address as whoever asks wrote it, without a slash at its end."""
    return f"{request.url.scheme}://{request.url.netloc}"


def route_of(request: Request) -> APIRoute:
    return cast("APIRoute", request.scope["route"])


def read_query(request: Request, takes: Parameters) -> tuple[Misread, ...]:
    """The same for a request that FastAPI has begun to read, so that every later reader sees what is left."""
    misread = settle(request.scope, takes)
    request._query_params = QueryParams(request.scope["query_string"])
    return misread


def settle(scope: Scope, takes: Parameters) -> tuple[Misread, ...]:
    """Leave in the request's query what can be taken. Returns what cannot."""
    if not scope["query_string"]:
        return ()
    given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    pairs = [(name, value) for name, value in given if value]
    wrong = _misread(pairs, takes)
    left_out = {item.field for item in wrong}
    kept = [
        (name, value)
        for name, value in pairs
        if name not in left_out or (name in takes.many and not re.search(CONTROLS, value))
    ]
    if kept != given:
        scope["query_string"] = urlencode(kept).encode()
    return wrong


def _misread(pairs: Sequence[tuple[str, str]], takes: Parameters) -> tuple[Misread, ...]:
    found: dict[str, Misread] = {}
    times = Counter(name for name, _ in pairs)
    for name, value in pairs:
        if name not in takes.one and name not in takes.many:
            if len(found) < MOST:
                found.setdefault(name, _unknown(_shown(name), takes))
        elif re.search(CONTROLS, value):
            found[name] = Misread(name, _("`{name}`: it takes text, not control characters").format(name=name))
        elif name in takes.one and times[name] > 1:
            found[name] = Misread(
                name,
                _("`{name}` may be given once; it is given {times} times: keep one of them").format(
                    name=name, times=times[name]
                ),
            )
    return tuple(found.values())


def _unknown(name: str, takes: Parameters) -> Misread:
    near = tuple(difflib.get_close_matches(name, takes.known(), n=3))
    asks = _("; did you mean `{first}`?").format(first=near[0]) if near else ""
    return Misread(name, _("`{name}` is no parameter here{asks}").format(name=name, asks=asks), near, unknown=True)


def _shown(name: str) -> str:
    """A name as it may be repeated in an answer."""
    return re.sub(CONTROLS, "\N{REPLACEMENT CHARACTER}", name[:SHOWN])

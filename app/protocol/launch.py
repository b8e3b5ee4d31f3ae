"""One server as it would be started, and the digest that an approval of it is bound to. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, StringConstraints

from app.protocol.wire import LARGEST, Text, Wire

FlagName = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,99}$")
]  # canonical, without dashes before it
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")]
Whole = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]


def _finite(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """JSON has no NaN and no infinity: kept as null, a launch would change its digest."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise ValueError("a number here is finite") from error
    return value


FlagValue = bool | Whole | float | Text | Annotated[dict[str, JsonValue], AfterValidator(_finite)]


class Launch(Wire):
    """`model` is an id, never a folder; `revision` the commit of its repository. `weights` "dummy" are random numbers
    in the model's shape. `flags` are the engine's own, by canonical name; `gpus` 0 runs on the CPU."""

    engine: Literal["vllm", "sglang"]
    version: Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+){1,3}([a-z0-9.+-]{0,30})$")]
    model: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?$")]
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")] | None = None
    weights: Literal["real", "dummy"]
    gpus: Annotated[int, Field(ge=0, le=64)]
    flags: Annotated[dict[FlagName, FlagValue], Field(max_length=100, default_factory=dict)]
    env: Annotated[dict[Variable, Text], Field(max_length=50, default_factory=dict)]


def canonical(launch: Launch) -> str:
    """The one text of a launch: JSON with sorted keys and no blanks."""
    return json.dumps(launch.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(launch: Launch) -> str:
    """SHA-256 of the canonical text: one other byte anywhere in a launch is another digest."""
    return hashlib.sha256(canonical(launch).encode()).hexdigest()

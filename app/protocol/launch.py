"""One server as somebody asks for it; what is started then is in app.protocol.exact. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StringConstraints, TypeAdapter

from app.protocol.wire import LARGEST, Text, Wire, normal

FlagName = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,99}$")
]  # canonical, without dashes before it
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")]
Whole = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]


Line = Annotated[Text, StringConstraints(pattern=r"^[^\n\t]*$"), AfterValidator(normal)]
DEEPEST = 16  # objects and lists in one another
MOST = 2000  # values in one JSON object


def _json(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Held to the same rules as everything else here, all the way down: a value that JSON's readers take differently
    would let one digest stand for two launches."""
    left: list[tuple[JsonValue, int]] = [(value, 1)]
    for seen, (item, depth) in enumerate(left, 1):
        if depth > DEEPEST or seen > MOST:
            raise ValueError(f"a JSON value has at most {MOST} values, {DEEPEST} deep")
        if isinstance(item, dict | list):
            inner = [*item, *item.values()] if isinstance(item, dict) else item
            left += [(part, depth + 1) for part in inner]
        else:
            _SCALAR.validate_python(item, strict=True)
    return value


def _broken(value: object) -> object:
    """Pydantic takes a whole number for a float too, and one that is too large for `Whole` would get in there."""
    if isinstance(value, int):
        raise ValueError("whole numbers lie between -(2**53 - 1) and 2**53 - 1")
    return value


Broken = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_broken)]
_SCALAR: TypeAdapter[object] = TypeAdapter(bool | Whole | Broken | Line | None)
FlagValue = bool | Whole | Broken | Line | Annotated[dict[str, JsonValue], AfterValidator(_json)]


class Launch(Wire):
    """`model` is an id, never a folder; `revision` the commit of its repository. `weights` "dummy" are random numbers
    in the model's shape. `flags` are the engine's own, by canonical name; `gpus` 0 runs on the CPU."""

    engine: Literal["vllm", "sglang"]
    version: Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+){1,3}([a-z0-9.+-]{0,30})$")]
    model: Annotated[
        str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}(/[A-Za-z0-9][A-Za-z0-9_.-]{0,95})?$")
    ]
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")] | None = None
    weights: Literal["real", "dummy"]
    gpus: Annotated[int, Field(ge=0, le=64)]
    flags: Annotated[dict[FlagName, FlagValue], Field(max_length=100, default_factory=dict)]
    env: Annotated[dict[Variable, Line], Field(max_length=50, default_factory=dict)]

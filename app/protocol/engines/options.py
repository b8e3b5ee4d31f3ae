"""The options that a version of an engine knows, by full name. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from app.protocol.policy import census

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Flag:
    """One option. `names` are its long spellings without dashes, the canonical one first; `negative` is the form that
    says no; `short` are spellings with one dash; `deprecated` is the explanation of one that is."""

    names: tuple[str, ...]
    takes_value: bool
    negative: str | None = None
    choices: tuple[str, ...] = ()
    deprecated: str | None = None
    short: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.names[0]


Flags = dict[str, Flag]  # by every long name


@cache
def counted(engine: str, version: str) -> Mapping[str, Flag] | None:
    """Those of the version's census; None where it has none. Only vLLM's switches have a form that says no."""
    known = census.of(engine, version)
    if known is None:
        return None
    no = engine == "vllm"
    return {
        name: Flag((name,), item.takes_value, f"no-{name}" if no and not item.takes_value else None, item.choices)
        for name, item in known.options.items()
    }

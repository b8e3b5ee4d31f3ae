"""What the table of an engine says: entry point, endpoints, names of flags and metrics, with their versions. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from runners.engines.recipe import Own, Speculation, Value

Device = Literal["cpu", "cuda"]
Quantity = Literal[
    "generated_tokens", "prompt_tokens", "cached_tokens", "preemptions",
    "spec_steps", "spec_draft_tokens", "spec_accepted_tokens",
    "ttft_s", "itl_s", "tpot_s", "e2e_s",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a metric, from a version on."""

    metric: str
    since: str = "0"


@dataclass(frozen=True, slots=True)
class Flush:
    """How the prefix cache is emptied. `done` reads the answer's text: True, False, or None where it says nothing."""

    path: str
    done: Callable[[str], bool | None]


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything that sets one engine apart from another. Flags are named without dashes."""

    name: str
    title: str
    package: str
    module: tuple[str, ...]  # after `python -m`
    help: tuple[str, ...]
    positional: Callable[[str], list[str]]  # model -> arguments before the flags
    fixed: Callable[[Own, str, str], dict[str, Value]]  # what the runner sets, from its own, the model and the device
    settings: Mapping[str, Callable[[Value], dict[str, Value]]]
    speculate: Callable[[Speculation], dict[str, Value]]
    renamed: Mapping[str, str]
    environment: Mapping[str, str]
    device_environment: Mapping[str, Mapping[str, str]]
    variables: str  # the module, in its package, that lists the environment variables it reads
    shared_memory: tuple[str, ...]  # how the names of its pieces of shared memory begin
    health: str
    version: tuple[str, ...]  # paths that may tell the version
    info: str
    flush: Flush
    metric_prefix: str
    metrics: Mapping[Quantity, tuple[Name, ...]]  # the newest name first
    from_first_event: Mapping[Quantity, Quantity]  # a counter that is absent while it is 0 -> one that shows it is kept
    ranks: Mapping[str, str]  # labels of which one value alone counts, since the others repeat it


def as_flag(name: str) -> Callable[[Value], dict[str, Value]]:
    """A setting that one flag stands for, with the same value."""
    return lambda value: {name: value}

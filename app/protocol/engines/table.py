"""What the table of an engine says: entry point, endpoints, names of flags and metrics, with their versions. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.language import N_

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.protocol.engines.recipe import Speculation, Value

Device = Literal["cpu", "cuda"]
Quantity = Literal[
    "generated_tokens", "prompt_tokens", "cached_tokens", "preemptions",
    "spec_steps", "spec_draft_tokens", "spec_accepted_tokens",
    "ttft_s", "itl_s", "tpot_s", "e2e_s",
]  # fmt: skip


Place = Literal[
    "PROGRAMS", "PORT", "KEY", "NAME", "MODEL", "CACHED", "SCRATCH", "GPUS", "MODELS", "MODULES",
]  # fmt: skip
# What is only known when a server starts, and what it is then; CACHED is none of them, but that the model lies in a
# cache of Hugging Face, where a commit can be named.
PLACES: dict[Place, str] = {
    "PROGRAMS": N_("the folder of the programs of this engine's own environment at the runner"),
    "PORT": N_("a port that is free there"),
    "KEY": N_("a random key, new at each start"),
    "NAME": N_("benchcard- and random characters, new at each start"),
    "MODEL": N_("the model's folder at the runner; its id where the runner has it in a cache of Hugging Face"),
    "SCRATCH": N_("a new, empty folder, deleted afterwards"),
    "GPUS": N_("the numbers of the GPUs that the runner gives to this server; nothing where it needs none"),
    "MODELS": N_("the folder of models that the runner's owner has named"),
    "MODULES": N_("the folders of modules that the runner's owner has named"),
}


@dataclass(frozen=True, slots=True)
class Put:
    """A value that is only known when a server starts."""

    place: Place


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
    positional: tuple[Put, ...]  # before the flags
    fixed: Mapping[str, Value | Put]  # what the runner sets
    device_fixed: Mapping[str, Mapping[str, Value]]  # besides, on that device
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

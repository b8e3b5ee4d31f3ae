"""What a run sends: prompts made into requests. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runners.load import prompts, wire
from runners.load.prompts import COMMON, Vocabulary
from runners.load.schedule import SECOND, Asked, Shot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runners.load.connect import Target
    from runners.load.wire import Dialect


@dataclass(frozen=True, slots=True)
class Workload:
    """The shape of a request. With `turns` above 1 it is the shape of a session: every turn brings `input_tokens` new
    ones after all that came before, and all sessions begin with the same `prefix_tokens`.

    The history of a session holds planned ids in place of the model's replies. So a run is the same every time and
    nothing has to be read while it is on; a server finds each turn's own prompt in its cache again, not the reply.
    """

    input_tokens: int
    output_tokens: int
    turns: int = 1
    prefix_tokens: int = 0
    think_s: float = 0.0

    def __post_init__(self) -> None:
        for name in ("input_tokens", "output_tokens", "turns"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)}: at least 1 is needed")
        if self.prefix_tokens < 0:
            raise ValueError(f"prefix_tokens {self.prefix_tokens}: 0 or more are needed")
        if not (self.think_s >= 0 and math.isfinite(self.think_s)):
            raise ValueError(f"think time {self.think_s}: 0 or more seconds are needed")


@dataclass(frozen=True, slots=True)
class Source:
    """Where prompts come from."""

    seed: int
    vocabulary: Vocabulary = COMMON


def requests(
    target: Target, dialect: Dialect, workload: Workload, serials: Sequence[int], source: Source
) -> list[Shot]:
    """Independent requests, one a serial number."""
    shots = []
    for index, serial in enumerate(serials):
        if dialect.endpoint == "chat":
            body = wire.request(
                target, dialect, prompts.text(source.seed, serial, workload.input_tokens), workload.output_tokens
            )
            shots.append(Shot(index, body, Asked(workload.output_tokens)))
            continue
        ids = prompts.token_ids(source.seed, serial, workload.input_tokens, source.vocabulary)
        body = wire.request(target, dialect, ids, workload.output_tokens)
        shots.append(Shot(index, body, Asked(workload.output_tokens, len(ids))))
    return shots


def sessions(
    target: Target, dialect: Dialect, workload: Workload, serials: Sequence[int], source: Source
) -> list[Shot]:
    """Conversations of token ids, one a `turns + 1` serial numbers, the first serial of all for the shared prefix."""
    if dialect.endpoint == "chat":
        raise ValueError("sessions are sent as token ids, so they need the completions endpoint")
    prefix = prompts.token_ids(source.seed, serials[0], workload.prefix_tokens, source.vocabulary)
    shots: list[Shot] = []
    per_session = workload.turns * 2
    for session, first in enumerate(range(1, len(serials) - per_session + 1, per_session)):
        history = list(prefix)
        own = iter(serials[first : first + per_session])
        for turn in range(workload.turns):
            history += prompts.token_ids(source.seed, next(own), workload.input_tokens, source.vocabulary)
            body = wire.request(target, dialect, history, workload.output_tokens)
            wait_ns = int(workload.think_s * SECOND) if turn else 0
            shots.append(Shot(len(shots), body, Asked(workload.output_tokens, len(history), session, turn, wait_ns)))
            history += prompts.token_ids(source.seed, next(own), workload.output_tokens, source.vocabulary)
    return shots


def serials_of(sessions: int, workload: Workload) -> int:
    """How many serial numbers that many sessions use."""
    return 1 + sessions * workload.turns * 2

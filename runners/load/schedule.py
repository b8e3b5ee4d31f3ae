"""When requests are sent: how load is shaped. Pure; times are offsets in nanoseconds from the start of the run."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

Shape = Literal["constant", "poisson", "gamma"]
SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as planned. `input_tokens` is None where the prompt is text, so that nobody knows before.

    A turn of a session is sent `wait_ns` after the one before it has ended.
    """

    output_tokens: int
    input_tokens: int | None = None
    session: int | None = None
    turn: int = 0
    wait_ns: int = 0


@dataclass(frozen=True, slots=True)
class Shot:
    """A planned request with its bytes, ready to be written. `index` is its place in the run."""

    index: int
    body: bytes
    asked: Asked


@dataclass(frozen=True, slots=True)
class Closed:
    """Closed loop: `concurrency` requests in flight, the next one sent when one has ended."""

    concurrency: int

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ValueError(f"concurrency {self.concurrency}: at least 1 is needed")


@dataclass(frozen=True, slots=True)
class Open:
    """Open loop: requests at times fixed beforehand, whether or not earlier ones have ended.

    `rate` is in requests per second. `burstiness` is the shape parameter of gamma gaps: 1 is Poisson, below 1 burstier,
    above 1 more even, infinity constant.
    """

    rate: float
    shape: Shape = "poisson"
    burstiness: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise ValueError(f"rate {self.rate}: a finite number of requests per second above 0 is needed")
        if not self.burstiness > 0:
            raise ValueError(f"burstiness {self.burstiness}: a number above 0 is needed (1 is Poisson, inf constant)")


@dataclass(frozen=True, slots=True)
class Sessions:
    """`concurrency` conversations at a time, each turn sent after the one before it; a new one when one has ended."""

    concurrency: int

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ValueError(f"sessions {self.concurrency}: at least 1 at a time is needed")


Load = Closed | Open | Sessions


def spoken(load: Load) -> str:
    """A load in a few words, as progress and results name it."""
    if isinstance(load, Open):
        return f"{load.rate:g} requests/s"
    return f"concurrency {load.concurrency}" if isinstance(load, Closed) else f"{load.concurrency} sessions at a time"


def described(load: Load) -> dict[str, Any]:
    """A load as JSON, which knows no infinity."""
    values = {name: "inf" if value == math.inf else value for name, value in asdict(load).items()}
    return {"kind": type(load).__name__.lower(), **values}


def arrivals(load: Open, requests: int) -> list[int]:
    """The sending times of an open loop, in ns from the start; the first is 0.

    Gaps are drawn with the load's seed and then scaled so that their mean is exactly 1 / rate: what was asked for is
    what is offered, also in a short run. The same load and count give the same times.
    """
    if requests < 2:
        return [0] * requests
    gaps = _gaps(load, requests - 1)
    gaps *= (requests - 1) / load.rate / gaps.sum()
    times = np.concatenate(([0.0], np.cumsum(gaps)))
    return [round(time * SECOND) for time in times.tolist()]


def _gaps(load: Open, number: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    constant = load.shape == "constant" or math.isinf(load.burstiness)
    if constant:
        return np.ones(number)
    shape = 1.0 if load.shape == "poisson" else load.burstiness
    gaps = np.random.default_rng(load.seed).gamma(shape, 1.0, number)
    # A very bursty draw can be all zeros, which no scaling mends.
    return gaps if gaps.sum() > 0 else np.ones(number)

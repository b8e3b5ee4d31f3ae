"""Whether a run is a result: the reasons why not, as rules with sentences. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from app.language import F_
from app.protocol.reasons import REQUESTS, Kind
from runners.load.trace import MISSING

if TYPE_CHECKING:
    from runners.load.metrics import Metrics
    from runners.load.trace import Trace

MS = 1e6
TIMER_GRAIN_MS = 2.0  # lateness that the loop's own timers have


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may show and still be a result."""

    failed_share: float = 0.01
    lag_p99_ms: float = 25.0
    lag_worst_ms: float = 500.0
    lag_share: float = 0.2
    cpu_share: float = 0.95
    cached_share: float = 0.01
    late_p99_ms: float = 50.0
    at_once_share: float = 0.01
    together_share: float = 0.5


DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class Client:
    """How the client itself fared. Lag is how late its event loop woke; `lag_share` the part of the run it was late."""

    processes: int
    lag_p99_ms: float
    lag_worst_ms: float
    lag_share: float
    cpu_share: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a run is no result."""

    rule: str
    message: str

    def __str__(self) -> str:
        """As reports, traces and the log have it: the rule by name, then the sentence."""
        return f"{self.rule}: {self.message}"


def judge(trace: Trace, metrics: Metrics, client: Client, concurrency: int | None, limits: Limits) -> list[Reason]:
    """All reasons, the gravest first; none for a run that is a result. `concurrency` is None for an open loop."""
    reasons = _failures(trace, metrics, limits)
    reasons += _client(client, limits)
    reasons += _load(trace, metrics, concurrency, limits)
    reasons += _cache(trace, limits)
    reasons += _between(metrics, limits)
    return reasons


def _failures(trace: Trace, metrics: Metrics, limits: Limits) -> list[Reason]:
    if not metrics.failed or metrics.failed <= limits.failed_share * metrics.requests:
        return []
    kinds = Counter(cast("Kind", kind) for kind in trace.words["failure"] if kind is not None)
    share = F_("{failed} of {requests} requests failed; at most {failed_share} may").format(
        failed=metrics.failed, requests=metrics.requests, failed_share=format(limits.failed_share, ".0%")
    )
    reasons = [Reason("failures", share)]
    for kind, number in kinds.most_common():
        said = trace.words["message"][trace.words["failure"].index(kind)]
        form = F_("{number} of {number_all} requests: {said_why}")
        if said:
            form = F_("{number} of {number_all} requests: {said_why} (first: {first})")
        told = form.format(number=number, number_all=metrics.requests, said_why=REQUESTS[kind], first=said)
        reasons.append(Reason(kind, told))
    return reasons


def _client(client: Client, limits: Limits) -> list[Reason]:
    """Only what is above its limit is told: a P99 of few looks is none (`client_of`)."""
    reasons = []
    lags = []
    if client.lag_worst_ms > limits.lag_worst_ms:
        lags.append(
            F_("woke up to {lag_worst_ms} ms late (at most {lag_worst_ms_2})").format(
                lag_worst_ms=format(client.lag_worst_ms, ".0f"), lag_worst_ms_2=format(limits.lag_worst_ms, "g")
            )
        )
    if client.lag_p99_ms > limits.lag_p99_ms:
        lags.append(
            F_("woke {lag_p99_ms} ms late at P99 (at most {lag_p99_ms_2})").format(
                lag_p99_ms=format(client.lag_p99_ms, ".1f"), lag_p99_ms_2=format(limits.lag_p99_ms, "g")
            )
        )
    if client.lag_share > limits.lag_share:
        lags.append(
            F_("was late during {lag_share} of the run (at most {lag_share_2})").format(
                lag_share=format(client.lag_share, ".1%"), lag_share_2=format(limits.lag_share, ".0%")
            )
        )
    if lags:
        reasons.append(
            Reason(
                "lagging_client",
                F_("the client lagged: its event loop {said_lags}").format(said_lags=", and ".join(lags)),
            )
        )
    if client.cpu_share > limits.cpu_share:
        reasons.append(
            Reason(
                "saturated_client",
                F_("the client used {cpu_share} of a core: it measured itself").format(
                    cpu_share=format(client.cpu_share, ".0%")
                ),
            )
        )
    return reasons


def _load(trace: Trace, metrics: Metrics, concurrency: int | None, limits: Limits) -> list[Reason]:
    if concurrency is not None:
        sessions = len(set(trace.numbers["session"].tolist()) - {MISSING})
        number, kind = (sessions, "sessions") if sessions else (metrics.requests, "requests")
        if number >= concurrency:
            return []
        return [
            Reason(
                "too_few_requests",
                F_("{number} {kind} never reach a concurrency of {concurrency}").format(
                    number=number, kind=kind, concurrency=concurrency
                ),
            )
        ]
    late = metrics.queue_ms
    if late is None or late.p99 <= limits.late_p99_ms:
        return []
    message = F_("the load was not delivered: requests were sent up to {highest} ms after their time").format(
        highest=format(late.highest, ".0f")
    )
    return [
        Reason(
            "late_sends",
            F_("{said} (P99 {p99} ms, at most {late_p99_ms})").format(
                said=message, p99=format(late.p99, ".0f"), late_p99_ms=format(limits.late_p99_ms, "g")
            ),
        )
    ]


def _cache(trace: Trace, limits: Limits) -> list[Reason]:
    """Prompts share no beginning, so a prefix cache can have nothing of them; sessions are meant to be found in it."""
    if (trace.numbers["session"] != MISSING).any():
        return []
    cached = trace.numbers["cached_tokens"]
    hits = int(cached[cached != MISSING].sum())
    prompt = int(trace.numbers["prompt_tokens"][cached != MISSING].clip(0).sum())
    if not prompt or hits <= limits.cached_share * prompt:
        return []
    return [
        Reason(
            "warm_cache",
            F_("{hits} of {prompt} prompt tokens came from the prefix cache, which was to be cold").format(
                hits=hits, prompt=prompt
            ),
        )
    ]


def _between(metrics: Metrics, limits: Limits) -> list[Reason]:
    """Tokens that something holds back and lets go together: how fast they were made was not seen, and 0 ms is no
    number."""
    if metrics.at_once > limits.at_once_share * (metrics.requests - metrics.failed):
        told = F_(
            "all tokens of {number} of {number_all} requests arrived at one instant, so the time between them was not "
            "seen; at most {share} may"
        ).format(number=metrics.at_once, number_all=metrics.requests, share=format(limits.at_once_share, ".0%"))
    elif metrics.together > limits.together_share:
        told = F_(
            "{share} of the token events arrived at the same instant as the one before, so the time between tokens was "
            "not seen; at most {most} may"
        ).format(share=format(metrics.together, ".0%"), most=format(limits.together_share, ".0%"))
    else:
        return []
    return [Reason("tokens_at_once", told)]


def client_of(lags: list[list[tuple[int, int]]], cpu_ns: list[int], duration_ns: int) -> Client:
    """The client's own figures; with several processes those of the one that fared worst.

    Shares are of the run, and of a second where the run was shorter: over a few ms they say nothing. For the same
    reason a P99 of lag needs a hundred looks at it.
    """
    worst = Client(len(cpu_ns), 0.0, 0.0, 0.0, 0.0)
    whole_ms = max(duration_ns / MS, 1000.0)
    for lag, cpu in zip(lags, cpu_ns, strict=True):
        late = np.array([lateness for _, lateness in lag] or [0]) / MS
        lost = np.maximum(late - TIMER_GRAIN_MS, 0.0).sum() / whole_ms
        worst = Client(
            worst.processes,
            max(worst.lag_p99_ms, float(np.percentile(late, 99)) if len(late) >= 100 else 0.0),
            max(worst.lag_worst_ms, float(late.max())),
            max(worst.lag_share, float(lost)),
            max(worst.cpu_share, cpu / MS / whole_ms),
        )
    return worst

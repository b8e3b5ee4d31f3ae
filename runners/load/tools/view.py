"""A trace as another tool's client would have met it: shared parts, no tool's own rule. Pure.

A tool does not ask for what Benchcard asks for. What only our own request brought into the stream (the usage of each
event, and the usage at the end for a tool that does not ask for it) is taken out of the view again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from runners.load import chunks, sse
from runners.load.count import UNKNOWN
from runners.load.trace import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runners.load.statistics import Floats
    from runners.load.trace import Trace

MS = 1e6
S = 1e9

# Failures of the transport, which every client meets; the others are seen only by a client that looks.
TRANSPORT = frozenset({"no_connection", "timeout", "no_answer", "not_http", "status", "truncated", "too_large"})


@dataclass(frozen=True, slots=True)
class Stream:
    """One request of a trace. Times in ns from the start of the run; the arrays have one entry a block."""

    transport_failed: bool
    sent: int
    connect: int  # what opening a connection takes on this target, for tools that open one a request
    ended: int
    times: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int32]
    marks: npt.NDArray[np.int32]
    riding: npt.NDArray[np.int32]  # output tokens by the usage in chunks with a choice
    trailing: npt.NDArray[np.int32]  # by the usage in chunks without one
    asked: int
    prompt: int
    chat: bool
    usage_asked: bool

    def has(self, mark: int) -> npt.NDArray[np.bool_]:
        """Which blocks carry any of these marks."""
        found: npt.NDArray[np.bool_] = (self.marks & mark) != 0
        return found

    @property
    def counted(self) -> int:
        """Output tokens: the last usage, else the tokens of the events, each event of unknown length as one."""
        stated = np.maximum(self.riding, self.trailing)
        stated = stated[stated != UNKNOWN]
        return int(stated[-1]) if len(stated) else int(np.abs(self.tokens).sum())


@dataclass(frozen=True, slots=True)
class Seen:
    """What a tool takes from one request. Times in ns; `gaps` between the events that it counts."""

    start: int
    first: int | None
    end: int
    tokens: int
    gaps: Floats
    prompt: int

    @property
    def ttft(self) -> float:
        return float("nan") if self.first is None else float(self.first - self.start)

    @property
    def latency(self) -> float:
        return float(self.end - self.start)


@dataclass(frozen=True, slots=True)
class Value:
    """One number of a tool, under its own name and in its unit; `axis` is the axis that it is set beside."""

    name: str
    value: float | None
    unit: str
    axis: str
    formula: str


@dataclass(frozen=True, slots=True)
class Report:
    """A run by a tool's definitions. `failed` counts the requests that the tool itself would call failed.

    `departs` says in a sentence why a number can be another than its axis says, by the axis; "failed" is what becomes
    of failed requests.
    """

    tool: str
    version: str
    source: str
    completed: int
    failed: int
    values: tuple[Value, ...]
    notes: tuple[str, ...]
    departs: dict[str, str]


# Ways to depart that several tools share.
TO_THE_END = "Its time runs until the last stream is over, after usage and [DONE]; the axis ends with the last token."
FIRST_TEXT = (
    "The first event with text counts, also where tokens without text, such as half a character, came before it."
)
TEXT_GAPS = "Only events with text count, so a token without text makes no gap of its own."
FIRST_IS_ONE = "The first event counts as one token, however many it carries."
OWN_TPOT = "It is made of the tool's own TPOT."
PER_REQUEST_MEAN = "It is a mean over requests; the axis inverts the P90 of their time a token, the slow tail."


def streams(trace: Trace) -> list[Stream]:
    """Every request of a trace that was sent."""
    choices = (trace.event_marks & chunks.CHOICES) != 0
    riding = np.where(choices, trace.event_usage, UNKNOWN)
    trailing = np.where(choices, UNKNOWN, trace.event_usage)
    sent = np.flatnonzero(trace.numbers["sent_ns"] != MISSING).tolist()
    return [_stream(trace, request, riding, trailing) for request in sent]


def _stream(trace: Trace, request: int, riding: npt.NDArray[np.int32], trailing: npt.NDArray[np.int32]) -> Stream:
    part = trace.events(request)
    told = trace.meta.get("asked")
    asked = told if isinstance(told, dict) else {}  # a trace from elsewhere may say anything
    rides, trails = riding[part], trailing[part]
    if asked.get("continuous"):
        rides = _last_only(rides) if (trails == UNKNOWN).all() else np.full_like(rides, UNKNOWN)
    prompts = [int(trace.numbers[name][request]) for name in ("prompt_tokens", "input_tokens")]
    return Stream(
        transport_failed=trace.words["failure"][request] in TRANSPORT,
        sent=int(trace.numbers["sent_ns"][request]),
        connect=int(trace.meta.get("connect_ns") or 0),
        ended=int(trace.numbers["ended_ns"][request]),
        times=trace.event_ns[part],
        tokens=trace.event_tokens[part],
        marks=trace.event_marks[part],
        riding=rides,
        trailing=trails,
        asked=int(trace.numbers["asked_tokens"][request]),
        prompt=next((number for number in prompts if number != MISSING), 0),
        chat=trace.meta.get("endpoint") == "chat",
        usage_asked=bool(asked.get("usage", True)),
    )


def _last_only(usage: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    kept = np.full_like(usage, UNKNOWN)
    last = np.flatnonzero(usage != UNKNOWN)[-1:]
    kept[last] = usage[last]
    return kept


def seen_by(see: Callable[[Stream], Seen | None], found: Sequence[Stream]) -> tuple[list[Seen], int]:
    """What a tool takes from the requests that it calls successful, and how many it calls failed."""
    taken = [see(stream) for stream in found]
    good = [seen for seen in taken if seen is not None]
    return good, len(taken) - len(good)


def taken(stream: Stream, start: int, chosen: npt.NDArray[np.bool_], end: int | None, tokens: int) -> Seen:
    """The usual reading: the first and the last of the chosen events, and the gaps between them."""
    times = stream.times[chosen]
    if end is None:
        end = int(times[-1]) if len(times) else start
    first = int(times[0]) if len(times) else None
    return Seen(start, first, end, tokens, np.diff(times).astype(np.float64), stream.prompt)


def per_token(seen: Seen) -> float:
    """(latency - TTFT) / (n - 1), NaN for fewer than two tokens."""
    ttft = 0.0 if seen.first is None else seen.ttft
    return (seen.latency - ttft) / (seen.tokens - 1) if seen.tokens > 1 else float("nan")


def known(values: Sequence[float]) -> Floats:
    """Without the undefined ones."""
    array = np.array(values, np.float64)
    return array[~np.isnan(array)]


def span(good: Sequence[Seen]) -> float:
    """Seconds from the first start to the last end of the successful requests."""
    return (max(seen.end for seen in good) - min(seen.start for seen in good)) / S if good else 0.0


def whole(found: Sequence[Stream]) -> float:
    """Seconds from the first sending until every exchange was over."""
    return (max(stream.ended for stream in found) - min(stream.sent for stream in found)) / S if found else 0.0


def rate(amount: float, seconds: float) -> float | None:
    return amount / seconds if seconds > 0 else None


def linear(values: Floats, percent: float) -> float | None:
    """numpy's default percentile."""
    return float(np.percentile(values, percent)) if len(values) else None


def mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def pooled(good: Sequence[Seen]) -> Floats:
    """All gaps of all requests."""
    return np.concatenate([seen.gaps for seen in good]) if good else np.zeros(0)


def in_ms(lists: dict[str, tuple[Floats, str, str]], statistics: dict[str, float], pattern: str) -> list[Value]:
    """Statistics of lists of ns, as ms: `pattern` makes a name of the statistic and the list; -1 is the mean."""
    values = []
    for name, (numbers, axis, formula) in lists.items():
        ordered = np.sort(numbers) / MS  # sorted once, each percentile is a look-up
        for statistic, percent in statistics.items():
            value = mean(numbers / MS) if percent < 0 else linear(ordered, percent)
            values.append(Value(pattern.format(statistic=statistic, name=name), value, "ms", axis, formula))
    return values


CR, NO_SPACE, COMMENT, FIELDS = sse.CR, sse.NO_SPACE, sse.COMMENT, sse.FIELDS

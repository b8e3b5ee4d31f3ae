"""The traps that several tools' files can show, said in one way for all of them. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from app.results.importers.draft import divide, short

if TYPE_CHECKING:
    from app.results.importers.draft import Draft

REACHED = Decimal("0.9")  # of the requested rate, below which the point is not the one that was asked for
FILLED = Decimal("0.7")  # of the concurrency limit; the ramp of a short run alone costs some
LENGTH = Decimal("0.98")  # of the asked output length
GUESS_MARGIN = Decimal("1.3")  # event gap over TPOT, above which events carry several tokens


def rate_reached(draft: Draft, requested: Decimal | None, achieved: Decimal | None, where: str) -> None:
    if requested and achieved is not None and achieved < requested * REACHED:
        message = (
            f"requested {short(requested)} req/s, achieved {short(achieved)}: saturated (load generator or server) or "
            "too short a run; not a valid point for the requested rate"
        )
        draft.warn("T10", where, message)


def concurrency_reached(draft: Draft, limit: int | None, achieved: Decimal | None, why: str = "") -> None:
    if limit and achieved is not None and achieved < limit * FILLED:
        message = f"achieved concurrency {short(achieved)}, far under the limit of {limit}{why}; not a point at {limit}"
        draft.warn("T10", "workload.concurrency", message)


def plausible_units(draft: Draft, limit: int | None, in_flight: Decimal | None) -> None:
    """Little's law: latency times rate is the number in flight, which the client's limit bounds."""
    if limit and in_flight is not None and in_flight > limit * 2:
        message = (
            f"mean latency times request rate gives {short(in_flight)} requests in flight, above the limit of {limit}: "
            "a time or a rate is in another unit than its name says"
        )
        draft.warn("T7", "request_throughput", message)


def cache_hits(draft: Draft, percent: Decimal | None, where: str) -> None:
    """Input that came from the prefix cache was never computed, yet counts as input."""
    if percent:
        draft.put("workload.prefix_cache", f"hit rate {short(percent)} % of input tokens")
        message = (
            f"{short(percent)} % of the input tokens came from the prefix cache: TTFT and throughput measure it too"
        )
        draft.warn("T11", where, message)


def failures(draft: Draft, failed: int | None, total: int | None) -> None:
    if failed:
        of = f" of {total}" if total else ""
        message = f"{failed}{of} requests failed; the times are the survivors' and look better than the load was"
        draft.warn("failures", "requests", message)


def stopped_early(draft: Draft, done: int | None, planned: int | None) -> None:
    if done is not None and planned is not None and done < planned:
        draft.warn("stopped-early", "requests", f"{done} of {planned} planned requests completed")


def output_length(draft: Draft, asked: Decimal | None, mean: Decimal | None) -> None:
    if asked and mean is not None and mean < asked * LENGTH:
        message = f"mean output {short(mean)} of {short(asked)} tokens asked for: runs that stop early look faster"
        draft.warn("T15", "workload.output_tokens", message)


def bundled_events(draft: Draft, tokens: Decimal | None, events: Decimal | None) -> None:
    """Output tokens against stream events of the whole run, where the file tells both."""
    if tokens and events and tokens > events * GUESS_MARGIN:
        message = (
            f"{short(divide(tokens, events))} tokens an event: the event gap is longer than the time per token, and a "
            "first event with several tokens makes TPOT too low"
        )
        draft.warn("T14", "event_gap", message)


def gap_above_tpot(draft: Draft) -> None:
    """The same from the means alone."""
    gap, tpot = draft.figures.get(("event_gap", "mean")), draft.figures.get(("tpot", "mean"))
    if gap and tpot and gap["value"] > tpot["value"] * GUESS_MARGIN:
        message = (
            f"mean gap {short(gap['value'])} ms over mean TPOT {short(tpot['value'])} ms: events carry several tokens, "
            "as with speculation; compare TPOT"
        )
        draft.warn("T14", "event_gap", message)


def random_prompts(draft: Draft, *, random: bool, speculating: bool) -> None:
    if random and speculating:
        message = "random tokens without a chat template change how many draft tokens are accepted"
        draft.warn("T12", "speculation.accept_length", message)


def reciprocal_std(draft: Draft, present: bool, where: str) -> None:
    if present:
        draft.warn("T17", where, "the std of a reciprocal is not the reciprocal of the std; left out")

"""The traps that several tools' files can show, said in one way for all of them. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from app.language import F_
from app.results.importers.draft import divide, short

if TYPE_CHECKING:
    from app.results.importers.draft import Draft

REACHED = Decimal("0.9")  # of the requested rate, below which the point is not the one that was asked for
FILLED = Decimal("0.7")  # of the concurrency limit; the ramp of a short run alone costs some
LENGTH = Decimal("0.98")  # of the asked output length
GUESS_MARGIN = Decimal("1.3")  # event gap over TPOT, above which events carry several tokens


FAR_UNDER = F_(
    "achieved concurrency {number_achieved}, far under the limit of {number_limit}; not a point at {number_limit}"
)
# Where a rate was asked for too, it is what held the concurrency down.
AT_A_RATE = F_(
    "achieved concurrency {number_achieved}, far under the limit of {number_limit} (the run sends {number_rate} "
    "req/s); not a point at {number_limit}"
)
RATE_LIMITED = F_(
    "achieved concurrency {number_achieved}, far under the limit of {number_limit}: a rate-limited run "
    "({number_rate} req/s); not a point at {number_limit}"
)


def rate_reached(draft: Draft, requested: Decimal | None, achieved: Decimal | None, where: str) -> None:
    if requested and achieved is not None and achieved < requested * REACHED:
        message = F_(
            "requested {number_requested} req/s, achieved {number_achieved}: saturated (load generator or server) or "
            "too short a run; not a valid point for the requested rate"
        ).format(number_requested=short(requested), number_achieved=short(achieved))
        draft.warn("T10", where, message)


def concurrency_reached(
    draft: Draft, limit: int | None, achieved: Decimal | None, form: str = FAR_UNDER, **why: str
) -> None:
    """`form` says it, with `why` in its further places."""
    if limit and achieved is not None and achieved < limit * FILLED:
        message = form.format(number_achieved=short(achieved), number_limit=limit, **why)
        draft.warn("T10", "workload.concurrency", message)


def plausible_units(draft: Draft, limit: int | None, in_flight: Decimal | None) -> None:
    """Little's law: latency times rate is the number in flight, which the client's limit bounds."""
    if limit and in_flight is not None and in_flight > limit * 2:
        message = F_(
            "mean latency times request rate gives {number_in_flight} requests in flight, above the limit of "
            "{number_limit}: "
            "a time or a rate is in another unit than its name says"
        ).format(number_in_flight=short(in_flight), number_limit=limit)
        draft.warn("T7", "request_throughput", message)


def cache_hits(draft: Draft, percent: Decimal | None, where: str) -> None:
    """Input that came from the prefix cache was never computed, yet counts as input."""
    if percent:
        draft.put("workload.prefix_cache", f"hit rate {short(percent)} % of input tokens")
        message = F_(
            "{number_percent} % of the input tokens came from the prefix cache: TTFT and throughput measure it too"
        ).format(number_percent=short(percent))
        draft.warn("T11", where, message)


def failures(draft: Draft, failed: int | None, total: int | None) -> None:
    if failed:
        some = F_(
            "{number_failed} of {number_total} requests failed; the times are the survivors' and look better "
            "than the load was"
        )
        none = F_("{number_failed} requests failed; the times are the survivors' and look better than the load was")
        message = (some if total else none).format(number_failed=failed, number_total=total)
        draft.warn("failures", "requests", message)


def stopped_early(draft: Draft, done: int | None, planned: int | None) -> None:
    if done is not None and planned is not None and done < planned:
        draft.warn(
            "stopped-early",
            "requests",
            F_("{number_done} of {number_planned} planned requests completed").format(
                number_done=done, number_planned=planned
            ),
        )


def output_length(draft: Draft, asked: Decimal | None, mean: Decimal | None) -> None:
    if asked and mean is not None and mean < asked * LENGTH:
        early = F_("mean output {number_mean} of {number_asked} tokens asked for: runs that stop early look faster")
        message = early.format(number_mean=short(mean), number_asked=short(asked))
        draft.warn("T15", "workload.output_tokens", message)


def bundled_events(draft: Draft, tokens: Decimal | None, events: Decimal | None) -> None:
    """Output tokens against stream events of the whole run, where the file tells both."""
    if tokens and events and tokens > events * GUESS_MARGIN:
        message = F_(
            "{number_tokens} tokens an event: the event gap is longer than the time per token, and a first "
            "event with several tokens makes TPOT too low"
        ).format(number_tokens=short(divide(tokens, events)))
        draft.warn("T14", "event_gap", message)


def gap_above_tpot(draft: Draft) -> None:
    """The same from the means alone."""
    gap, tpot = draft.figures.get(("event_gap", "mean")), draft.figures.get(("tpot", "mean"))
    if gap and tpot and gap["value"] > tpot["value"] * GUESS_MARGIN:
        message = F_(
            "mean gap {number_gap} ms over mean TPOT {number_tpot} ms: events carry several tokens, as with "
            "speculation; compare TPOT"
        ).format(number_gap=short(gap["value"]), number_tpot=short(tpot["value"]))
        draft.warn("T14", "event_gap", message)


def random_prompts(draft: Draft, *, random: bool, speculating: bool) -> None:
    if random and speculating:
        message = F_("random tokens without a chat template change how many draft tokens are accepted")
        draft.warn("T12", "speculation.accept_length", message)


def reciprocal_std(draft: Draft, present: bool, where: str) -> None:
    if present:
        draft.warn("T17", where, F_("the std of a reciprocal is not the reciprocal of the std; left out"))

"""A page of the list of jobs -> its context. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.language import N_, _, number
from app.protocol.english import counted
from app.web.card_contexts import FilterSelect
from app.web.contexts import Choice, Link, Shell
from app.web.job_contexts import JobLine, JobListPage, JobResults
from app.web.job_words import KIND_WORDS, PHASE_WORDS, STATE_WORDS, age, stands, what
from app.web.state import address

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from app.jobs.queries import JobFilter
    from app.jobs.rows import JobPage, JobRow, RunnerRow
    from app.web.contexts import Trouble

ABOUT = N_("Jobs: measurements that were asked for, with their state, what they run and how far they are.")
FILTERS = ("state", "kind")  # that the page offers; the others come by links


def filter_pairs(wanted: JobFilter) -> list[tuple[str, str]]:
    return [(name, value) for name in type(wanted).__dataclass_fields__ for value in getattr(wanted, name)]


def job_results(
    wanted: JobFilter, page: JobPage, cursor: str | None, troubles: Sequence[Trouble], now: dt.datetime
) -> JobResults:
    pairs = filter_pairs(wanted)
    return JobResults(
        count=counted(page.total, "job"),
        lines=tuple(_line(item, now) for item in page.items),
        troubles=tuple(troubles),
        filtered=bool(pairs),
        first_url=address("/jobs", pairs) if cursor else "",
        next_url=address("/jobs", [*pairs, ("cursor", page.next)]) if page.next else "",
        json_url=address("/api/v1/jobs", pairs),
    )


def job_list_page(
    wanted: JobFilter, counts: Mapping[str, int], runners: Sequence[RunnerRow], results: JobResults
) -> JobListPage:
    states = [
        (state, f"{_(word)} ({number(counts[state])})") for state, word in STATE_WORDS.items() if counts.get(state)
    ]
    filters = (_select("state", _("State"), states, wanted.state), _select("kind", _("Kind"), _kinds(), wanted.kind))
    return JobListPage(
        shell=Shell(_("Jobs"), _(ABOUT), "/jobs"),
        filters=filters if counts else (),
        runners=_runners(runners),
        results=results,
    )


def _kinds() -> list[tuple[str, str]]:
    return [(kind, _(word)) for kind, word in KIND_WORDS.items()]


def _select(name: str, heading: str, values: Sequence[tuple[str, str]], chosen: Sequence[str]) -> FilterSelect:
    options = [
        Choice(f"{name}-{place}", name, value, label, value in chosen) for place, (value, label) in enumerate(values)
    ]
    return FilterSelect(name, heading, (Choice(f"{name}-any", name, "", _("any"), not chosen), *options))


def _runners(runners: Sequence[RunnerRow]) -> str:
    in_service = [runner for runner in runners if runner.standing != "retired"]
    if not in_service:
        return _("No runner is in service here.")
    up = [runner for runner in in_service if runner.is_up]
    return _("{runners} in service, {up} of them up.").format(runners=len(in_service), up=len(up))


def _line(item: JobRow, now: dt.datetime) -> JobLine:
    shape, word = stands(item)
    return JobLine(
        url=f"/jobs/{item.id}",
        state=shape,
        word=word,
        progress=progress_said(item),
        kind=_(KIND_WORDS[item.kind]),
        what=what(item.plan),
        dummy=item.plan.on_random_weights,
        about=about(item),
        by=item.requested_by,
        age=age(item.created_at, now),
        runner=item.runner or "",
    )


def about(item: JobRow) -> Link | None:
    """The claim or the card that a job measures again."""
    if item.claim_id:
        return Link(item.claim_id, f"/claims/{item.claim_id}")
    return Link(item.card_id, f"/cards/{item.card_id}") if item.card_id else None


def progress_said(item: JobRow) -> str:
    """`measuring, 3 of 9`; "" where nothing is said."""
    if item.phase is None or item.state != "running":
        return ""
    phase = _(PHASE_WORDS.get(item.phase, item.phase))
    if not item.total:
        return phase
    steps = _("{done} of {total}").format(done=number(item.done), total=number(item.total))
    return f"{phase}, {steps}"

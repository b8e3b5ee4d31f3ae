"""A job -> the context of its page, and of the parts of it that are asked for again while it is under way. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.words import NOT_STATED
from app.compare.words import capital, sentence
from app.jobs.amounts import amount
from app.jobs.numbers import load_said, load_words
from app.jobs.states import MOST_ATTEMPTS
from app.language import N_, _, moment, number
from app.protocol.english import counted
from app.protocol.reasons import ended, failed
from app.protocol.unseen import visible
from app.web.contexts import Fact, Link, Shell
from app.web.job_contexts import (
    AttemptLine,
    FailureTold,
    FileLine,
    JobLive,
    JobPage,
    LogPart,
    Progress,
    RunnerLack,
    SidePart,
    Waiting,
)
from app.web.job_list_page import about, progress_said
from app.web.job_words import (
    ATTEMPT_WORDS,
    DUMMY_TEXT,
    KIND_WORDS,
    PHASE_WORDS,
    REMEDIES,
    age,
    engine,
    is_active,
    is_over,
    listed,
    minutes,
    size,
    stands,
    what,
    workload,
)
from app.web.state import address
from app.web.wording import plain

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping, Sequence

    from app.cards.queries import CardRow
    from app.jobs.rows import AttemptRow, JobDetail, JobRow
    from app.protocol.plan import Plan, Side

ABOUT = N_("A job: what runs, how far it is, what it says, and what came of it.")
EVERY_S = 3  # how often a page asks again
SLOWLY_S = 15  # what waits for people or for a runner, once it has waited for a while
SOON, MOST = 40, 160  # questions about a job that waits: so many at first, and in all, which is half an hour
MOST_CARDS = 20  # that are named on a page
STOPPED = N_("This page looks no more by itself whether that has changed: look again when it may have.")


def job_page(job: JobDetail, live: JobLive, cards: Sequence[CardRow] = ()) -> JobPage:
    """`cards`: those that name the traces of its result."""
    row, plan = job.row, job.plan
    return JobPage(
        shell=Shell(f"{what(plan)}: {stands(row)[1]}", _(ABOUT), "/jobs"),
        id=row.id,
        heading=what(plan),
        dummy=_(DUMMY_TEXT) if plan.on_random_weights else "",
        about=(*_about(row), *card_facts(cards)),
        plan=plan_facts(plan),
        sides=side_parts(plan),
        assumptions=tuple(map(plain, job.assumptions or ())),
        assumed=_assumed(job),
        exact=Link(_("Exactly what runs, byte for byte"), f"/jobs/{row.id}/approval"),
        json_url=f"/api/v1/jobs/{row.id}",
        live=live,
    )


def job_live(job: JobDetail, log: LogPart | None, now: dt.datetime, *, may_cancel: bool) -> JobLive:
    row, url = job.row, f"/jobs/{job.row.id}"
    waits = row.state == "awaiting_approval"
    measured = job.measurement_id
    return JobLive(
        state=stands(row)[0],
        word=stands(row)[1],
        told=_told(row),
        began=age(row.started_at, now) if row.state == "running" and row.started_at else None,
        result=Link(_("What was measured"), f"/measurements/{measured}") if measured else None,
        approve=Link(_("What has to be approved"), f"{url}/approval") if waits else None,
        cancel_url=f"{url}/cancel" if may_cancel and not is_over(row.state) and not row.cancel_requested_at else "",
        progress=None if is_over(row.state) else job_progress(row, now),
        waiting=waiting(job.lacking) if row.state == "queued" else None,
        failure=_failure(row) if row.state == "failed" else None,
        log=log,
        attempts=tuple(_attempt(row.id, item) for item in job.attempts),
        reload_url=url,
    )


def seen(row: JobRow) -> str:
    """What of a job a page shows, so that it is told when that has changed."""
    return f"{row.state}.{row.epoch}{'.c' if row.cancel_requested_at else ''}"


def job_progress(row: JobRow, now: dt.datetime, asked: int = 0) -> Progress:
    """`asked`: how often the page has looked already at a job that nobody has taken, which may be for ever so."""
    waits = not is_active(row.state)
    ended = waits and asked >= MOST
    count = [("asked", str(asked + 1))] if waits else []
    cancelling = _("{cancelled_by} asked to cancel it; the runner hears of it with its next heartbeat.").format(
        cancelled_by=row.cancelled_by
    )
    return Progress(
        phase=_(PHASE_WORDS.get(row.phase, row.phase)) if row.phase else "",
        done=min(row.done, row.total),
        total=row.total,
        said=progress_said(row),
        note=row.note,
        beat=age(row.beat_at, now) if row.beat_at and is_active(row.state) else None,
        cancelling=cancelling if row.cancel_requested_at else "",
        stopped=_(STOPPED) if ended else "",
        url="" if ended else address(f"/jobs/{row.id}", [("seen", seen(row)), *count]),
        every_s=SLOWLY_S if waits and asked >= SOON else EVERY_S,
    )


def _told(row: JobRow) -> str:
    runner = row.runner or ""
    if row.state == "awaiting_approval":
        return _("It waits until a maintainer approves what would be started.")
    if row.state == "queued":
        return _queued(row)
    if row.state == "leased":
        return _("{runner} has taken it and has not begun.").format(runner=runner)
    if row.state == "running":
        return _("It runs on {runner}.").format(runner=runner)
    at = moment(row.ended_at) if row.ended_at else _(NOT_STATED)
    return _("{how}, ended {at}.").format(how=_ended(row), at=at)


def _queued(row: JobRow) -> str:
    waits = (
        _("It waits for a runner that can do it.")
        if row.approved
        else _("It waits for a runner that can do it that starts it by its own policy, for nobody has approved it.")
    )
    if not row.attempts:
        return waits
    tried = _("{count} of {most} attempts are used.").format(count=row.attempts, most=MOST_ATTEMPTS)
    return f"{waits} {tried}"


def _ended(row: JobRow) -> str:
    if row.state == "cancelled":
        return _("Cancelled by {cancelled_by}").format(cancelled_by=row.cancelled_by or _(NOT_STATED))
    runner = row.runner or _("no runner")
    if row.is_empty:
        return _("It ran to its end on {runner}, and none of its {runs} runs is a result").format(
            runner=runner, runs=row.runs
        )
    if row.state == "succeeded":
        return _("It succeeded on {runner}").format(runner=runner)
    return _("It failed on {runner}").format(runner=runner)


def waiting(lacking: Mapping[str, Sequence[str]]) -> Waiting:
    """Why a job waits, by runner."""
    lines = tuple(RunnerLack(name, tuple(reasons)) for name, reasons in lacking.items())
    able = [name for name, reasons in lacking.items() if not reasons]
    if not lines:
        return Waiting(_("No runner has ever asked for work here; start one with `benchcard runner start`."), ())
    if able:
        return Waiting(
            _("{able} could do it and takes it when it is this one's turn.").format(able=listed(able)), lines
        )
    return Waiting(_("No runner that is known here can do it."), lines)


def _failure(row: JobRow) -> FailureTold:
    told = capital(sentence(failed(row.failure))) if row.failure else _("It failed.")
    return FailureTold(told, _(REMEDIES.get(row.failure or "", N_("The log may say why."))), row.message)


def _attempt(job_id: str, item: AttemptRow) -> AttemptLine:
    over = item.state not in ("leased", "running")
    log = Link(
        _("log, {log_size}").format(log_size=size(item.log_size)),
        address(f"/jobs/{job_id}/log", [("epoch", str(item.epoch))]),
    )
    cut = (
        _(", {log_dropped} of its middle left out").format(log_dropped=size(item.log_dropped))
        if item.log_dropped
        else ""
    )
    return AttemptLine(
        number=str(item.number),
        runner=item.runner,
        state=item.state,
        word=_(ATTEMPT_WORDS[item.state]),
        role=_role(item),
        leased=f"{item.leased_at:%Y-%m-%d %H:%M:%S}",
        ended=f"{item.ended_at:%Y-%m-%d %H:%M:%S}" if item.ended_at else _(NOT_STATED) if over else _("not yet"),
        failure=ended(item.failure, item.message),
        log=Link(log.text + cut, log.url) if item.log_size else None,
        files=tuple(
            FileLine(part.name, size(part.size), part.sha256, f"/jobs/{job_id}/attempts/{item.epoch}/{part.name}")
            for part in item.parts
        ),
    )


def _role(item: AttemptRow) -> str:
    """What the attempt is to the job: its end, or evidence only, where it came back after it had lost the job."""
    if item.is_result:
        return _("the result") if item.state == "succeeded" else _("how the job ended")
    return _("evidence only: it had lost the job") if item.state == "lost" and item.finish is not None else ""


def _about(row: JobRow) -> Iterator[Fact]:
    link = about(row)
    if link:
        name = _("Measures again the claim") if row.claim_id else _("Measures again the card")
        yield Fact(name, link.text, url=link.url)
    yield Fact(_("Asked by"), f"{row.requested_by}, {moment(row.created_at)}")
    yield Fact(_("Kind"), _(KIND_WORDS[row.kind]))
    if row.priority:
        yield Fact(_("Priority"), str(row.priority))


def card_facts(cards: Sequence[CardRow]) -> Iterator[Fact]:
    """Cards that name the traces of a measurement as their raw files, each by its author's word."""
    for card in cards[:MOST_CARDS]:
        yield Fact(
            _("Card that names its traces"),
            _("{title}, by {author}").format(title=card.title, author=card.author),
            url=f"/cards/{card.id}",
        )
    if len(cards) > MOST_CARDS:
        yield Fact(_("Cards that name its traces"), _("and {count} more").format(count=len(cards) - MOST_CARDS))


def _assumed(job: JobDetail) -> str:
    """What is said in the place of the assumptions where there are none to list."""
    if job.assumptions is None:
        return _("Not kept: it was asked for before assumptions were.")
    of_its_own = job.row.claim_id is None and job.row.card_id is None
    return _("None: its plan was sent as it is.") if of_its_own else _("None: all that it needs is stated.")


def plan_facts(plan: Plan) -> tuple[Fact, ...]:
    """What is measured, besides the servers."""
    loads = listed(f"{load_said(load_words(point))} ({counted(point.requests, 'request')})" for point in plan.points)
    return (
        Fact(_("Kind"), _(KIND_WORDS[plan.kind])),
        Fact(_("Workload"), workload(plan.workload)),
        Fact(_("Seed of the prompts"), str(plan.workload.seed)),
        Fact(_("Loads") if len(plan.points) > 1 else _("Load"), loads),
        Fact(_("Repeats"), _repeats(plan)),
        Fact(_("Amount"), _amount(plan)),
        Fact(
            _("Takes at most"),
            _("{time}, servers' starts included").format(time=minutes(plan.wall_s)),
        ),
    )


def _repeats(plan: Plan) -> str:
    if plan.kind == "ab":
        return _("{count} of each, the two servers by turns").format(count=plan.repeats)
    return _("{count} of each").format(count=plan.repeats)


def _amount(plan: Plan) -> str:
    """What all of it moves, and how fast that has to go: arithmetic, nothing is guessed of the server."""
    whole = amount(plan)
    moved = _("{requests} requests, {input_tokens} tokens in and {output_tokens} out, in all").format(
        requests=number(whole.requests),
        input_tokens=number(whole.input_tokens),
        output_tokens=number(whole.output_tokens),
    )
    if whole.least_s:
        return _("{moved}; at the stated rate they take {time}").format(moved=moved, time=minutes(whole.least_s))
    return _("{moved}; to end in time takes {rate} tokens/s at least").format(
        moved=moved, rate=number(whole.tokens / plan.wall_s, ",.0f")
    )


def side_parts(plan: Plan) -> tuple[SidePart, ...]:
    return tuple(_side(side, several=len(plan.sides) > 1) for side in plan.sides)


def server_heading(side: Side) -> str:
    """One of several servers, by its letter and label."""
    return _("Server {letter}: {label}").format(letter=side.name.upper(), label=visible(side.label))


def _side(side: Side, *, several: bool) -> SidePart:
    heading = server_heading(side) if several else _("Server")
    if side.launch is None:
        assert side.attach is not None
        return SidePart(
            heading, (Fact(_("Address"), side.attach.address), Fact(_("Model"), visible(side.attach.model)))
        )
    launch = side.launch
    dummy = launch.weights == "dummy"
    flags = listed(f"--{name}={value}" for name, value in launch.flags.items())
    env = listed(f"{name}={value}" for name, value in launch.env.items())
    return SidePart(
        heading,
        (
            Fact(_("Engine"), engine(launch)),
            Fact(_("Model"), launch.model),
            Fact(_("Revision"), launch.revision or _(NOT_STATED), launch.revision is not None),
            Fact(_("Weights"), _("random, in the model's shape") if dummy else _("the model's own")),
            Fact(_("GPUs"), str(launch.gpus) if launch.gpus else _("none: on the CPU")),
            Fact(_("Flags"), visible(flags) or _("none")),
            Fact(_("Environment"), visible(env) or _("nothing set")),
        ),
    )

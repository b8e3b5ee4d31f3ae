"""Runners -> the context of their page. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from app.jobs.fleet import UP_FOR
from app.language import N_, _, moment, number
from app.protocol.unseen import visible
from app.web.contexts import Link, Shell
from app.web.job_contexts import RetiredLine, RunnerLine, RunnerList, RunnersPage
from app.web.job_words import ENGINES, age, cpus_said, listed

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from app.jobs.rows import RunnerRow
    from app.protocol.lease import Capabilities

ABOUT = N_("Runners: the machines that measure, what they have, what they do now, and why one of them takes nothing.")

BACK = N_("Let it take jobs again")
EVERY_S = 15  # as often as a runner with a job is heard of


def runners_page(runners: Sequence[RunnerRow], now: dt.datetime, *, maintains: bool, trouble: str = "") -> RunnersPage:
    return RunnersPage(
        shell=Shell(_("Runners"), _(ABOUT), "/jobs"),
        trouble=trouble,
        list=runner_list(runners, now, maintains=maintains),
        json_url="/api/v1/runners",
    )


def runner_list(runners: Sequence[RunnerRow], now: dt.datetime, *, maintains: bool) -> RunnerList:
    in_service = [item for item in runners if item.standing != "retired"]
    lines = tuple(_line(item, now, maintains=maintains) for item in in_service)
    retired = tuple(_retired(item, maintains=maintains) for item in runners if item.standing == "retired")
    return RunnerList(lines, retired, EVERY_S if any(now - item.seen_at <= UP_FOR for item in in_service) else 0)


def _retired(item: RunnerRow, *, maintains: bool) -> RetiredLine:
    at = moment(item.retired_at) if item.retired_at else ""
    said = _("retired by {who} on {at}, last seen {seen}")
    told = said.format(who=visible(item.retired_by or _("somebody")), at=at, seen=moment(item.seen_at))
    return RetiredLine(item.name, told, _(BACK) if maintains else "")


def _line(item: RunnerRow, now: dt.datetime, *, maintains: bool) -> RunnerLine:
    state, word, why = _stands(item)
    shut = item.drain_asked or item.quarantine is not None
    return RunnerLine(
        name=item.name,
        state=state,
        word=word,
        why=why,
        seen=age(item.seen_at, now),
        version=item.version,
        gpus=_gpus(item.capabilities),
        cpus=cpus_said(item.capabilities.cpus, item.capabilities.memory_mib),
        engines=listed(_engines(item.capabilities)) or _("none"),
        models=listed(item.capabilities.models) or _("none without approval"),
        attach=listed(item.capabilities.attach) or _("none"),
        wall=_("{minutes} min").format(minutes=number(item.capabilities.wall_s / 60, "g")),
        jobs=tuple(Link(job, f"/jobs/{job}") for job in item.jobs),
        drain="" if not maintains else _(BACK) if shut else _("Drain"),
        drain_on=not shut,
        may_retire=maintains and not item.is_up,
    )


def _stands(item: RunnerRow) -> tuple[str, str, str]:
    """State, its word, and why it takes nothing."""
    if item.quarantine is not None:
        since = moment(item.quarantined_at) if item.quarantined_at else ""
        word = _("in quarantine since {at}").format(at=since) if since else _("in quarantine")
        told = _("{quarantine}. A maintainer lets it take jobs again.").format(quarantine=visible(item.quarantine))
        return "closed", word, told
    if item.trouble is not None:
        return "closed", _("measures nothing"), _("It says itself: {trouble}").format(trouble=visible(item.trouble))
    if item.standing == "away":
        return (
            "away",
            _("last seen {at}").format(at=moment(item.seen_at)),
            _("It has not asked for work for a while: is it running, and does it reach here?"),
        )
    if item.standing == "draining":
        who = _("A maintainer asked for it") if item.drain_asked else _("It was told so on its machine")
        return "draining", _("draining"), _("{who}: it ends what it has and takes no more.").format(who=who)
    return ("busy", _("at work"), "") if item.jobs else ("free", _("free"), "")


def _gpus(has: Capabilities) -> str:
    kinds = Counter((gpu.name, gpu.memory_mib) for gpu in has.gpus)
    said = listed(f"{count}x {name} ({number(memory / 1024, ',.0f')} GiB)" for (name, memory), count in kinds.items())
    return said or _("no GPU")


def _engines(has: Capabilities) -> list[str]:
    where = {"cpu": _("on the CPU"), "cuda": _("on GPUs")}
    return [f"{ENGINES[item.name]} {item.version} {where[item.device]}" for item in has.engines]

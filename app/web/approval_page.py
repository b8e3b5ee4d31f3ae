"""What a job would start, byte for byte, and what the policy says of each part of it -> the page of its approval. Pure.

Argv and environment come from what the runner starts servers with (app.protocol.exact); what is only known then stands
as a named place.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from app.jobs.changed import launch_row
from app.jobs.states import APPROVED_FOR
from app.language import N_, _, day, moment
from app.protocol.engines.start import Word, mark
from app.protocol.engines.table import PLACES
from app.protocol.exact import canonical, digest
from app.protocol.unseen import visible
from app.web.approval_contexts import ApprovalPage, DecidedLine, DiffLine, LaunchPart
from app.web.contexts import Fact, Shell
from app.web.job_page import server_heading
from app.web.job_words import DUMMY_TEXT, what
from app.web.job_words import ENGINES as TITLES
from app.web.wording import again

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.jobs.rows import ApprovalRow, JobDetail, LaunchRow
    from app.protocol.engines.start import Start
    from app.protocol.engines.table import Place
    from app.protocol.launch import Launch
    from app.protocol.plan import Plan
    from app.protocol.policy.decide import Item

ABOUT = N_("Exactly what a job would start, and what the policy says of it.")
SIGNS = {"same": "  ", "old": "- ", "new": "+ "}
# Why a word is left out where nothing is given for its place.
ONLY_WITH: dict[Place, str] = {
    "CACHED": N_("the model in a cache of Hugging Face, not in a folder of its own"),
    "MODELS": N_("a folder of models that its owner has named"),
    "MODULES": N_("folders of modules that its owner has named"),
}
LEVEL_WORDS = {"allow": N_("allowed"), "approve": N_("needs approval"), "never": N_("never runs")}
TOLD = {
    "awaiting_approval": N_("This job waits until a maintainer has read what it would start."),
    "queued": N_("This job needs no approval any more; what it would start is below."),
}
UNASKED = N_(
    "This job waits for a runner whose own list names its model, and which starts it without approval. Once a "
    "maintainer has approved it, other runners may take it too."
)
WAS_TO_START = N_("This is what the job was to start.")
OWN = N_("You asked for this job yourself: nobody else reads it before it runs.")


def approval_page(
    job: JobDetail,
    approvals: Sequence[ApprovalRow],
    *,
    trouble: str,
    why_not: str,
    own: bool,
    you: str,
    sign_in: str,
) -> ApprovalPage:
    """`approvals`: all that were ever given, the newest first; `why_not`: why this visitor cannot decide, "" where they
    can; `own`: whether they asked for it themselves; `you`: their name, "" for a stranger."""
    unasked = job.row.state == "queued" and not job.row.approved
    waits = job.row.state == "awaiting_approval" or unasked
    given = {item.digest: item.approval for item in job.launches}
    several = len(job.plan.sides) > 1
    launches = [
        launch_part(
            server_heading(side) if several else _("Server"),
            launch_row(digest(side.launch), side.launch, given.get(digest(side.launch)), approvals),
        )
        for side in job.plan.sides
        if side.launch
    ]
    return ApprovalPage(
        shell=Shell(_("What runs: {plan}").format(plan=what(job.plan)), _(ABOUT), "/jobs"),
        heading=what(job.plan),
        job_url=f"/jobs/{job.row.id}",
        told=_(UNASKED if unasked else TOLD.get(job.row.state, WAS_TO_START)),
        people=_("{requested_by} asked for it.").format(requested_by=visible(job.row.requested_by))
        + (" " + _("You are signed in as {you}.").format(you=visible(you)) if you else ""),
        dummy=_(DUMMY_TEXT) if job.plan.on_random_weights else "",
        trouble=trouble,
        sign_in_url=sign_in,
        may=waits and not why_not,
        own=_(OWN) if own and not why_not else "",
        why_not=why_not if waits else "",
        launches=tuple(launches),
        digests=digests(job.plan),
        expiry=_("An approval holds for {days} days, for these bytes alone, and can be taken back.").format(
            days=APPROVED_FOR.days
        ),
    )


def digests(plan: Plan) -> str:
    """What names all bytes that the page shows."""
    return " ".join(digest(side.launch) for side in plan.sides if side.launch)


def launch_part(heading: str, found: LaunchRow) -> LaunchPart:
    start = found.start
    return LaunchPart(
        heading=heading,
        digest=found.digest,
        canonical=canonical(found.launch),
        argv="\n".join(map(_line, start.argv)) if start else "",
        argv_trouble=""
        if start
        else visible(_("Nothing is started of it: {problems}.").format(problems=found.trouble)),
        env="\n".join(f"{name}={_line(word)}" for name, word in sorted(start.env.items())) if start else "",
        places=_places(start) if start else (),
        sometimes=_sometimes(start) if start else (),
        decision=found.decision.level,
        decision_word=_(LEVEL_WORDS[found.decision.level]),
        decided=tuple(_decided(item) for item in found.decision.items),
        approval=_approval(found.approval),
        against=_against(found.before, found.launch),
        diff=tuple(DiffLine(line.kind, SIGNS[line.kind], line.text) for line in found.changes),
    )


def _line(word: Word) -> str:
    """One argument, or one value, as a shell takes it."""
    return word.text if word.place else visible(shlex.quote(word.text))


def _places(start: Start) -> tuple[Fact, ...]:
    words = (*start.argv, *start.env.values())
    used = {word.place for word in words}
    return tuple(Fact(mark(name), _(said)) for name, said in PLACES.items() if name in used)


def _sometimes(start: Start) -> tuple[str, ...]:
    """What is left out at some starts."""
    given = [(word.text, word.only_with) for word in start.argv]
    given += [(name, word.only_with) for name, word in start.env.items()]
    said = _("`{text}` is given only where the runner has {what}.")
    return tuple(said.format(text=visible(text), what=_(ONLY_WITH[of])) for text, of in given if of in ONLY_WITH)


def _decided(item: Item) -> DecidedLine:
    value = item.value if isinstance(item.value, str) else json.dumps(item.value)
    of = TITLES.get(item.name, item.name)
    name = {"flag": f"--{item.name}", "version": _("version of {engine}").format(engine=of)}.get(item.kind, item.name)
    return DecidedLine(name, visible(value), item.level, _(LEVEL_WORDS[item.level]), again(item.reason))


def _approval(given: ApprovalRow | None) -> str:
    if given is None:
        return ""
    said = _("Approved by {approver} for a job that {asker} asked for, on {at}, until {end}.")
    if given.approved_by.casefold() == given.asked_by.casefold():
        said = _("Approved by {approver}, who asked for it too, so nobody else read it: on {at}, until {end}.")
    return said.format(
        approver=visible(given.approved_by), asker=visible(given.asked_by),
        at=moment(given.approved_at), end=moment(given.expires_at),
    )  # fmt: skip


def _against(before: ApprovalRow | None, launch: Launch) -> str:
    if before is None:
        return _("Nothing of {engine} with {model} was approved before: read all of it.").format(
            engine=TITLES[launch.engine], model=launch.model
        )
    said = _("Against what {who} approved on {day} for the same engine and model (SHA-256 {digest}…)").format(
        who=visible(before.approved_by), day=day(before.approved_at), digest=before.digest[:12]
    )
    return f"{said}{_taken_back(before)}:"


def _taken_back(before: ApprovalRow) -> str:
    """A launch whose approval somebody regretted is no measure of what may run."""
    if before.revoked_at is None:
        return ""
    return ", " + _("which {who} took back on {day}").format(
        who=visible(before.revoked_by or _("somebody")), day=day(before.revoked_at)
    )

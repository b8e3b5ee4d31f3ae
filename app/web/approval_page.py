"""What a job would start, byte for byte, and what the policy says of each part of it -> the page of its approval. Pure.

The argv is written by the code that the runner starts servers with, from the census of that version; port, key and
served name are the runner's own and stand as placeholders.
"""

from __future__ import annotations

import difflib
import json
import shlex
from typing import TYPE_CHECKING

from app.jobs.permission import decided
from app.jobs.states import APPROVED_FOR
from app.language import N_, _, day, moment
from app.protocol.launch import canonical, digest
from app.protocol.policy import census
from app.protocol.unseen import visible
from app.web.approval_contexts import ApprovalPage, DecidedLine, DiffLine, LaunchPart
from app.web.contexts import Fact, Shell
from app.web.job_page import server_heading
from app.web.job_words import DUMMY_TEXT, engine, what
from app.web.job_words import ENGINES as TITLES
from app.web.wording import again
from runners.engines import ENGINES
from runners.engines.helptext import Flag
from runners.engines.recipe import Own, RecipeError, command, of_launch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.jobs.rows import ApprovalRow, JobDetail
    from app.protocol.launch import Launch
    from app.protocol.plan import Plan
    from app.protocol.policy.census import Census
    from app.protocol.policy.decide import Item
    from runners.engines.helptext import Flags

ABOUT = N_("Exactly what a job would start, and what the policy says of it.")
PORT = 65_000  # stands for PORT until the text is made
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
        _launch(server_heading(side) if several else _("Server"), side.launch, given, approvals)
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


def _launch(
    heading: str, launch: Launch, given: dict[str, ApprovalRow | None], approvals: Sequence[ApprovalRow]
) -> LaunchPart:
    key, decision = digest(launch), decided(launch)
    argv, trouble = argv_of(launch, census.of(launch.engine, launch.version))
    before = _before(launch, key, approvals)
    return LaunchPart(
        heading=heading,
        digest=key,
        canonical=canonical(launch),
        argv=argv,
        argv_trouble=trouble,
        env=tuple(Fact(name, visible(value)) for name, value in sorted(launch.env.items())),
        decision=decision.level,
        decision_word=_(LEVEL_WORDS[decision.level]),
        decided=tuple(_decided(item) for item in decision.items),
        approval=_approval(given.get(key)),
        against=_against(before, launch),
        diff=tuple(_diff(before, launch)) if before else (),
    )


def argv_of(launch: Launch, known: Census | None) -> tuple[str, str]:
    """The server's command with one argument a line, or why it cannot be shown."""
    if known is None:
        why = _(
            "The command cannot be shown: the options of {engine} have not been sorted yet, so "
            "nothing of that version is started."
        )
        return "", why.format(engine=engine(launch))
    table = ENGINES[launch.engine]
    own = Own(PORT, "KEY", "NAME")
    device = "cuda" if launch.gpus else "cpu"
    try:
        made = command(table, of_launch(launch, launch.model), own, _flags(known), device)
    except RecipeError as error:
        return "", visible(_("The engine would not take it: {problems}.").format(problems="; ".join(error.problems)))
    items = [item.replace(str(PORT), "PORT") if item.endswith(f"={PORT}") else item for item in made.argv]
    return "\n".join(visible(shlex.quote(item)) for item in ("python", "-m", *table.module, *items)), ""


def _flags(known: Census) -> Flags:
    """The census as the parser's own list. Only vLLM's switches have a form that says no."""
    no = known.engine == "vllm"
    return {
        name: Flag((name,), item.takes_value, f"no-{name}" if no and not item.takes_value else None, item.choices)
        for name, item in known.options.items()
    }


def _decided(item: Item) -> DecidedLine:
    value = item.value if isinstance(item.value, str) else json.dumps(item.value)
    of = TITLES.get(item.name, item.name)
    name = {"flag": f"--{item.name}", "version": _("version of {engine}").format(engine=of)}.get(item.kind, item.name)
    return DecidedLine(name, visible(value), item.level, _(LEVEL_WORDS[item.level]), again(item.reason))


def _approval(given: ApprovalRow | None) -> str:
    if given is None:
        return ""
    return _("Approved by {approver} for a job that {asker} asked for, on {at}, until {end}.").format(
        approver=visible(given.approved_by), asker=visible(given.asked_by),
        at=moment(given.approved_at), end=moment(given.expires_at),
    )  # fmt: skip


def _before(launch: Launch, key: str, approvals: Sequence[ApprovalRow]) -> ApprovalRow | None:
    """The newest other launch of this engine with this model that was ever approved."""
    for item in approvals:
        said = json.loads(item.launch)
        if item.digest != key and (said["engine"], said["model"]) == (launch.engine, launch.model):
            return item
    return None


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


def _diff(before: ApprovalRow, launch: Launch) -> Iterator[DiffLine]:
    kinds = {"  ": "same", "- ": "old", "+ ": "new"}
    for line in difflib.ndiff(_lines(before.launch), _lines(canonical(launch))):
        if line[:2] in kinds:
            yield DiffLine(kinds[line[:2]], line[:2], line[2:])


def _lines(text: str) -> list[str]:
    """The canonical text with each key on a line of its own."""
    return json.dumps(json.loads(text), indent=2, sort_keys=True).splitlines()

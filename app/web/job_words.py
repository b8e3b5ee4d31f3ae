"""The words of jobs, attempts and their ends: what a state means, what went wrong, what can be done. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from app.claims.words import DOT, TIMES
from app.jobs.matching import chip
from app.jobs.states import ACTIVE, STATES, TERMINAL
from app.language import N_, _, number
from app.protocol.english import counted
from app.protocol.outcome import Failure
from app.protocol.unseen import visible
from app.web.job_contexts import Age

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from app.jobs.rows import JobRow
    from app.protocol.launch import Launch
    from app.protocol.outcome import Report
    from app.protocol.plan import Plan, Side, Workload

ENGINES = {"vllm": "vLLM", "sglang": "SGLang"}
STATE_WORDS = {
    "awaiting_approval": N_("waits for approval"),
    "queued": N_("waits for a runner"),
    "leased": N_("taken by a runner"),
    "running": N_("running"),
    "succeeded": N_("succeeded"),
    "failed": N_("failed"),
    "cancelled": N_("cancelled"),
}
EMPTY = N_("ended without a usable run")
KIND_WORDS = {
    "point": N_("one load"),
    "sweep": N_("sweep of loads"),
    "ab": N_("two servers by turns"),
    "attach": N_("running server"),
    "agreement": N_("load tools held against each other"),
}
ATTEMPT_WORDS = {**STATE_WORDS, "lost": N_("lost: the runner was not heard of in time")}
PHASE_WORDS = {
    "preparing": N_("preparing"),
    "starting": N_("starting the server"),
    "warming": N_("warming up"),
    "measuring": N_("measuring"),
    "stopping": N_("stopping the server"),
    "uploading": N_("sending what was found"),
}
# Failure -> what can be done; what happened says app.protocol.reasons.
REMEDIES: dict[str, str] = {
    "port_in_use": N_("The machine is at fault; ask for the job again."),
    "runner_lost": N_("Look whether its machine is up and reaches this server; then ask for the job again."),
    "runner_stopped": N_("Ask for the job again once a runner is up."),
    "gpu_not_free": N_("End what holds them on that machine; then ask for the job again."),
    "disk_full": N_("Make room on its machine; then ask for the job again."),
    "supervisor_lost": N_("The machine is at fault; its own log says more. Ask for the job again."),
    "not_allowed": N_("Its owner decides what it runs: ask them to allow this model, or use a runner that does."),
    "not_here": N_("Its message says what is missing: put that there, or use a runner that has it."),
    "bad_flag": N_("The log has the engine's own words; mend the recipe and ask for a new job."),
    "out_of_memory": N_(
        "Use more or larger GPUs, a shorter context or fewer sequences at once; then ask for a new job."
    ),
    "model_missing": N_(
        "Put the model into the store that the runner's configuration names; then ask for the job again."
    ),
    "cannot_run_here": N_("The log says why; another engine version or another GPU may do it."),
    "not_ready": N_("The log says how far it came; allow more time or fix what it waits for."),
    "died_starting": N_("The log's last lines say why."),
    "died_at_request": N_("The log's last lines say why; often a kernel that this GPU lacks."),
    "died_running": N_("The log's last lines say why."),
    "no_answer": N_("The log's last lines may say why; ask for the job again."),
    "hung": N_(
        "It was ended. The log's last lines may say where it stopped; ask for the job again, or try another version."
    ),
    "wall_limit": N_("Ask for fewer requests, loads or repeats, or for more time."),
    "runner_error": N_("This is a fault of Benchcard; the attempt's log and message help to mend it."),
}
assert set(REMEDIES) == set(get_args(Failure))
assert set(STATE_WORDS) == set(STATES)
MINUTES = N_("min")
TIME_UNITS = ((86400, N_("days")), (3600, N_("h")), (60, MINUTES))  # beside N_("s")
DUMMY_TEXT = N_(
    "Measured on random weights in the model's shape: speed may be read, with care; the text means nothing, and so "
    "does every acceptance of speculation."
)


def stands(row: JobRow) -> tuple[str, str]:
    """How a job's state is shown, and its word: one that ended with nothing usable is told from a success."""
    return ("empty", _(EMPTY)) if row.is_empty else (row.state, _(STATE_WORDS[row.state]))


def minutes(seconds: float) -> str:
    """A duration in whole minutes and seconds, as in "23 min 20 s"; of less than a minute in seconds."""
    whole, rest = divmod(round(seconds), 60)
    parts = [f"{number(whole)} {_(MINUTES)}" if whole else "", f"{rest} {_('s')}" if rest or not whole else ""]
    return " ".join(part for part in parts if part)


def is_active(state: str) -> bool:
    return state in ACTIVE


def is_over(state: str) -> bool:
    return state in TERMINAL


def engine(launch: Launch) -> str:
    return f"{ENGINES[launch.engine]} {launch.version}"


def model(launch: Launch) -> str:
    """A model by its id; on random weights nothing of it but its shape was there."""
    if launch.weights != "dummy":
        return launch.model
    return _("random weights, {model}'s shape").format(model=launch.model.rpartition("/")[2])


def server(side: Side, gpu: str = "") -> str:
    """What a side runs, in a line: engine and version, model or the random weights in its place, GPUs. `gpu`: which
    GPUs they were, where that is known."""
    if side.launch is None:
        assert side.attach is not None
        return DOT.join((_("server at {address}").format(address=side.attach.address), visible(side.attach.model)))
    count = side.launch.gpus
    gpus = (f"{count}{TIMES} {gpu}" if gpu else counted(count, "GPU")) if count else _("on the CPU")
    return DOT.join([engine(side.launch), model(side.launch), gpus])


def what(plan: Plan, gpu: str = "") -> str:
    """What a job measures, in a line; of two servers what they share once."""
    said = list(dict.fromkeys(server(side, gpu) for side in plan.sides))
    if len(said) == 1:
        return said[0]
    return _("{first} against {second}").format(first=said[0], second=said[1])


def measured(report: Report) -> str:
    """The same of what was measured, with the GPUs that the machine had."""
    chips = {chip(item.name) or item.name for item in report.machine.gpus}
    return what(report.plan, visible(chips.pop()) if len(chips) == 1 else "")


def workload(given: Workload) -> str:
    cache = _("prefix cache cleared before each repeat") if given.prefix_cache == "cleared" else _("prefix cache warm")
    texts = _("random {input_tokens} tokens in, {output_tokens} out").format(
        input_tokens=number(given.input_tokens), output_tokens=number(given.output_tokens)
    )
    turns = f", {counted(given.turns, 'turn')}" if given.turns > 1 else ""
    return f"{texts}{turns}{DOT}{cache}"


def age(then: dt.datetime, now: dt.datetime) -> Age:
    """How long ago, never less than nothing."""
    seconds = max(0, round((now - then).total_seconds()))
    return Age(_("{time} ago").format(time=lasted(seconds)), seconds, f"{then:%Y-%m-%d %H:%M:%S} UTC")


def lasted(seconds: int) -> str:
    """`40 s`, `3 min`, `5 h`, `12 days`. static/js/live.js counts on by the same rule and in the same units."""
    for size, unit in TIME_UNITS:
        if seconds >= 2 * size:
            return f"{seconds // size} {_(unit)}"
    return f"{seconds} {_('s')}"


def cpus_said(cpus: int, memory_mib: int) -> str:
    """What a machine has besides GPUs."""
    return _("{cpus} CPUs, {memory} GiB of memory").format(cpus=cpus, memory=number(memory_mib / 1024, ",.0f"))


def size(count: int) -> str:
    """Bytes for people, in powers of 1024."""
    amount, units = float(count), iter(("B", "KiB", "MiB", "GiB"))
    unit = next(units)
    while amount >= 1024 and unit != "GiB":
        amount, unit = amount / 1024, next(units)
    return f"{number(amount, '.0f' if unit == 'B' else '.1f')} {unit}"


def listed(items: Iterable[str]) -> str:
    return ", ".join(items)

"""The words of jobs, attempts and their ends: what a state means, what went wrong, what can be done. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from app.claims.words import DOT, TIMES
from app.jobs.matching import chip
from app.jobs.states import ACTIVE, STATES, TERMINAL
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
    "awaiting_approval": "waits for approval",
    "queued": "waits for a runner",
    "leased": "taken by a runner",
    "running": "running",
    "succeeded": "succeeded",
    "failed": "failed",
    "cancelled": "cancelled",
}
EMPTY = "ended without a usable run"
KIND_WORDS = {
    "point": "one load",
    "sweep": "sweep of loads",
    "ab": "two servers by turns",
    "attach": "running server",
    "agreement": "load tools held against each other",
}
ATTEMPT_WORDS = {**STATE_WORDS, "lost": "lost: the runner was not heard of in time"}
PHASE_WORDS = {
    "preparing": "preparing",
    "starting": "starting the server",
    "warming": "warming up",
    "measuring": "measuring",
    "stopping": "stopping the server",
    "uploading": "sending what was found",
}
# Failure -> what can be done; what happened says app.protocol.reasons.
REMEDIES: dict[str, str] = {
    "port_in_use": "The machine is at fault; ask for the job again.",
    "runner_lost": "Look whether its machine is up and reaches this server; then ask for the job again.",
    "runner_stopped": "Ask for the job again once a runner is up.",
    "gpu_not_free": "End what holds them on that machine; then ask for the job again.",
    "disk_full": "Make room on its machine; then ask for the job again.",
    "supervisor_lost": "The machine is at fault; its own log says more. Ask for the job again.",
    "not_allowed": "Its owner decides what it runs: ask them to allow this model, or use a runner that does.",
    "bad_flag": "The log has the engine's own words; mend the recipe and ask for a new job.",
    "out_of_memory": "Use more or larger GPUs, a shorter context or fewer sequences at once; then ask for a new job.",
    "model_missing": "Put the model into the store that the runner's configuration names; then ask for the job again.",
    "cannot_run_here": "The log says why; another engine version or another GPU may do it.",
    "not_ready": "The log says how far it came; allow more time or fix what it waits for.",
    "died_starting": "The log's last lines say why.",
    "died_at_request": "The log's last lines say why; often a kernel that this GPU lacks.",
    "died_running": "The log's last lines say why.",
    "no_answer": "The log's last lines may say why; ask for the job again.",
    "wall_limit": "Ask for fewer requests, loads or repeats, or for more time.",
    "runner_error": "This is a fault of Benchcard; the attempt's log and message help to mend it.",
}
assert set(REMEDIES) == set(get_args(Failure))
assert set(STATE_WORDS) == set(STATES)
DUMMY = "random weights"
DUMMY_TEXT = (
    "Measured on random weights in the model's shape: speed may be read, with care; the text means nothing, and so "
    "does every acceptance of speculation."
)


def stands(row: JobRow) -> tuple[str, str]:
    """How a job's state is shown, and its word: one that ended with nothing usable is told from a success."""
    return ("empty", EMPTY) if row.is_empty else (row.state, STATE_WORDS[row.state])


def is_active(state: str) -> bool:
    return state in ACTIVE


def is_over(state: str) -> bool:
    return state in TERMINAL


def engine(launch: Launch) -> str:
    return f"{ENGINES[launch.engine]} {launch.version}"


def model(launch: Launch) -> str:
    """A model by its id; on random weights nothing of it but its shape was there."""
    return f"{DUMMY}, {launch.model.rpartition('/')[2]}'s shape" if launch.weights == "dummy" else launch.model


def server(side: Side, gpu: str = "") -> str:
    """What a side runs, in a line: engine and version, model or the random weights in its place, GPUs. `gpu`: which
    GPUs they were, where that is known."""
    if side.launch is None:
        assert side.attach is not None
        return f"server at {side.attach.address}{DOT}{visible(side.attach.model)}"
    count = side.launch.gpus
    gpus = (f"{count}{TIMES} {gpu}" if gpu else counted(count, "GPU")) if count else "on the CPU"
    return DOT.join([engine(side.launch), model(side.launch), gpus])


def what(plan: Plan, gpu: str = "") -> str:
    """What a job measures, in a line; of two servers what they share once."""
    said = list(dict.fromkeys(server(side, gpu) for side in plan.sides))
    return " against ".join(said) if len(said) > 1 else said[0]


def measured(report: Report) -> str:
    """The same of what was measured, with the GPUs that the machine had."""
    chips = {chip(item.name) or item.name for item in report.machine.gpus}
    return what(report.plan, visible(chips.pop()) if len(chips) == 1 else "")


def workload(given: Workload) -> str:
    turns = f", {given.turns} turns" if given.turns > 1 else ""
    cache = "prefix cache cleared before each repeat" if given.prefix_cache == "cleared" else "prefix cache warm"
    return f"random {given.input_tokens:,} tokens in, {given.output_tokens:,} out{turns}{DOT}{cache}"


def age(then: dt.datetime, now: dt.datetime) -> Age:
    """How long ago, never less than nothing."""
    seconds = max(0, round((now - then).total_seconds()))
    return Age(f"{lasted(seconds)} ago", seconds, f"{then:%Y-%m-%d %H:%M:%S} UTC")


def lasted(seconds: int) -> str:
    """`40 s`, `3 min`, `5 h`, `12 days`. static/js/live.js counts on by the same rule."""
    for size, unit in ((86400, "day"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            count = seconds // size
            return f"{count} {unit}s" if unit == "day" else f"{count} {unit}"
    return f"{seconds} s"


def size(count: int) -> str:
    """Bytes for people, in powers of 1024."""
    amount, units = float(count), iter(("B", "KiB", "MiB", "GiB"))
    unit = next(units)
    while amount >= 1024 and unit != "GiB":
        amount, unit = amount / 1024, next(units)
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def listed(items: Iterable[str]) -> str:
    return ", ".join(items)

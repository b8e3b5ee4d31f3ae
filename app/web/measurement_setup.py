"""Where and how a measurement was made, and how it is repeated -> what its page says of that. Pure."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from app.claims.words import NOT_STATED
from app.jobs.numbers import AT_END
from app.language import _, number
from app.protocol.english import counted
from app.protocol.unseen import visible
from app.web.contexts import Fact
from app.web.job_words import cpus_said
from app.web.measurement_contexts import ServerPart
from app.web.wording import again

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from app.claims.schema import ClaimRow
    from app.jobs.rows import MeasurementRow
    from app.protocol.outcome import Freed, Machine, MeasuredGpu, ModelFiles, Report, SideReport
    from app.protocol.plan import Plan

MOST_INFO = 20_000  # characters of what a server says of itself


def machine_facts(machine: Machine) -> tuple[Fact, ...]:
    cpus = cpus_said(machine.cpus, machine.memory_mib)
    return (
        Fact(_("Runner"), machine.runner),
        Fact("Benchcard", machine.benchcard),
        Fact(_("System"), machine.system),
        Fact(_("Processor"), f"{machine.processor}, {cpus}"),
        *(Fact(f"GPU {place}", _gpu(item)) for place, item in enumerate(machine.gpus)),
        *(() if machine.gpus else (Fact(_("GPUs"), _("none")),)),
    )


def _gpu(item: MeasuredGpu) -> str:
    def said(value: float | None, unit: str) -> str:
        return _(NOT_STATED) if value is None else f"{number(value, 'g')} {unit}"

    parts = (
        f"{item.name}, {number(item.memory_mib / 1024, ',.0f')} GiB",
        _("driver {driver}").format(driver=item.driver or _(NOT_STATED)),
        _(
            "SM clock {sm_clock_mhz} and memory clock {memory_clock_mhz}, both read before the "
            "servers started, so of an idle GPU"
        ).format(sm_clock_mhz=said(item.sm_clock_mhz, "MHz"), memory_clock_mhz=said(item.memory_clock_mhz, "MHz")),
        _("power limit {power_limit_w}").format(power_limit_w=said(item.power_limit_w, "W")),
    )
    return ", ".join(parts)


def model_facts(report: Report, published: Sequence[ClaimRow]) -> Iterator[Fact]:
    """Which model it was, and its shape as far as a record has it: that of its configuration, else what the claims say
    that were published from it."""
    for side in report.plan.sides:
        if side.launch is None:
            continue
        told = next((item.model for item in report.sides if item.side == side.name), None)
        of = ", " + _("server {letter}").format(letter=side.name.upper()) if len(report.plan.sides) > 1 else ""
        dummy = side.launch.weights == "dummy"
        weights = (
            _("random numbers in the shape of {model}, not that model").format(model=side.launch.model)
            if dummy
            else _("the model's own")
        )
        yield Fact(_("Model") + of, side.launch.model)
        yield Fact(_("Weights") + of, weights)
        shape = _shape(told) if told else next((item.conditions.model.revision for item in published), None)
        yield Fact(_("Shape") + of, shape or _(NOT_STATED), shape is not None)


def _shape(files: ModelFiles) -> str:
    sizes = ", ".join(f"{name} {number(size)}" for name, size in files.shape.items())
    return _("{sizes}, in the config.json with the SHA-256 {digest}").format(
        sizes=sizes or _(NOT_STATED), digest=files.config_sha256
    )


def servers(report: Report) -> tuple[ServerPart, ...]:
    """How each server was started, and that nothing of it was left."""
    labels = {side.name: side.label for side in report.plan.sides}
    several = len(labels) > 1
    return tuple(
        _server(
            item,
            _("Server {letter}: {label}").format(letter=item.side.upper(), label=labels[item.side])
            if several
            else _("Server"),
        )
        for item in report.sides
    )


def _server(item: SideReport, heading: str) -> ServerPart:
    info = json.dumps(item.server_info, indent=1, sort_keys=True, ensure_ascii=False) if item.server_info else ""
    facts = [
        Fact(_("Engine version, as it said"), item.engine_version or _(NOT_STATED), item.engine_version is not None)
    ]
    if item.ready_s is not None:
        facts.append(Fact(_("Ready after"), f"{number(item.ready_s, '.1f')} s"))
    facts.append(Fact(_("After its end"), _freed(item.freed), item.freed is not None))
    return ServerPart(
        heading=heading,
        argv="\n".join(visible(shlex.quote(part)) for part in item.argv) if item.argv else "",
        facts=tuple(facts),
        env=tuple(Fact(name, visible(value)) for name, value in sorted((item.env or {}).items())),
        notes=tuple(map(again, item.notes)),
        info=info if len(info) <= MOST_INFO else f"{info[:MOST_INFO]}\n" + _("… the rest stands in report.json"),
    )


def _freed(freed: Freed | None) -> str:
    if freed is None:
        return _(NOT_STATED)
    left = (
        _("{processes} left").format(processes=counted(len(freed.survivors), "process", "processes"))
        if freed.survivors
        else _("no process left")
    )
    if freed.gpu_before_mib is None or freed.gpu_after_mib is None:
        return left
    before, after = (", ".join(map(str, found)) for found in (freed.gpu_before_mib, freed.gpu_after_mib))
    return _("{left}; GPU memory {before} MiB before its start, {after} MiB after its end").format(
        left=left, before=before, after=after
    )


def command_facts(row: MeasurementRow, plan: Plan, root: str) -> tuple[Fact, ...]:
    """Name and text of each way to repeat it: the load alone, the whole job, and a check of what was found."""
    countings = dict.fromkeys(point.counting for point in plan.points)
    return (
        *(Fact(_same_load(countings, counting), _line(_measure(plan, counting))) for counting in countings),
        Fact(_("The whole job again: save this as plan.json …"), plan.model_dump_json()),
        Fact(_("… and ask for it"), f"benchcard job submit --plan plan.json --server {root}"),
        Fact(_("Write all evidence as one file, on this server"), f"benchcard evidence {row.id}"),
        Fact(_("Compute every number again, anywhere, offline"), f"benchcard verify {row.id}.zip"),
    )


def _same_load(countings: Collection[str], counting: str) -> str:
    """The name of one way to count among those of a plan; a plan with one way need not name it."""
    same = _("The same load, on a server of yours")
    how = {"each_event": _(", tokens counted with each event"), "at_end": _(AT_END)}[counting]
    return f"{same}{how}" if len(countings) > 1 else same


def _line(parts: tuple[str, ...]) -> str:
    return " ".join(shlex.quote(part) for part in parts)


def _measure(plan: Plan, counting: str) -> tuple[str, ...]:
    side, work = plan.sides[0], plan.workload
    model = side.launch.model if side.launch else side.attach.model if side.attach else ""
    alike = [point for point in plan.points if point.counting == counting]
    rates = [point for point in alike if point.rate is not None]
    load = "--rate" if rates else "--concurrency"
    values = [f"{point.rate:g}" if point.rate else str(point.concurrency) for point in (rates or alike)]
    requests = [str(point.requests) for point in (rates or alike)]
    return (
        "benchcard", "measure", "http://HOST:PORT", "--model", model,
        "--input-tokens", str(work.input_tokens), "--output-tokens", str(work.output_tokens),
        load, ",".join(values), "--requests", ",".join(requests if len(set(requests)) > 1 else requests[:1]),
        "--runs", str(plan.repeats), "--seed", str(work.seed),
        *(("--usage-at-end",) if counting == "at_end" else ()),
        *(("--flush-cache",) if work.prefix_cache == "cleared" else ()),
    )  # fmt: skip

"""A number of our own -> the plan of the measurement that it is of, for its own load. Pure.

Nothing is read from the claim's words where its measurement is here: flags, environment, counting, requests and repeats
are those that ran, and so are the prompts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.jobs import flags as engine_flags
from app.jobs.amounts import too_much
from app.jobs.choices import Choices
from app.jobs.notes import Notes
from app.jobs.plans import Planned, from_claim
from app.language import _
from app.protocol.plan import Plan

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow, Evidence
    from app.protocol.launch import Launch
    from app.protocol.plan import Point, Side

Json = dict[str, Any]


def again(claim: ClaimRow, of: Plan | None, seed: int, choices: Choices | None = None) -> Planned:
    """`of`: the plan of the measurement that the claim's evidence names, None where there is none here; then the plan
    is made of the claim's words, with prompts from `seed`."""
    place = claim.evidence
    side = next((item for item in of.sides if item.name == place.side), None) if of and place else None
    if of is None or place is None or side is None or place.point >= len(of.points):
        return from_claim(claim, seed, choices)
    return _planned(claim, of, side, place, choices or Choices())


def _planned(claim: ClaimRow, of: Plan, side: Side, place: Evidence, chosen: Choices) -> Planned:
    notes = Notes()
    wanted = (side.model_copy(update={"name": "a"}),) if claim.kind == "absolute" else of.sides
    sides = tuple(_side(item, chosen, notes) for item in wanted)
    points = _points(of.points[place.point], chosen, notes)
    work = of.workload
    lengths = {
        "input_tokens": notes.chosen(_("input tokens"), chosen.input_tokens, work.input_tokens) or work.input_tokens,
        "output_tokens": notes.chosen(_("output tokens"), chosen.output_tokens, work.output_tokens)
        or work.output_tokens,
        "seed": work.seed + place.point,  # a plan's points draw their prompts from its seed and their own place
    }
    kind = "ab" if len(sides) == 2 else "attach" if side.attach else "sweep" if len(points) > 1 else "point"
    repeats = notes.chosen(_("repeats"), chosen.repeats, of.repeats) or of.repeats
    plan = Plan.model_validate(
        {
            "kind": kind,
            "sides": sides,
            "workload": work.model_dump() | lengths,
            "points": points,
            "repeats": repeats,
            "wall_s": chosen.wall_s or of.wall_s,
        }
    )
    accelerator = _accelerator(claim.conditions.hardware.accelerator, chosen, notes)
    assumed, large = tuple(notes.assumptions), tuple(too_much(plan))
    if large:
        return Planned(None, assumed, large, accelerator, ("requests",) * len(large), place.measurement)
    return Planned(plan, assumed, (), accelerator, (), place.measurement)


def _side(side: Side, chosen: Choices, notes: Notes) -> Json:
    return side.model_dump() | ({"launch": _launch(side.launch, chosen, notes)} if side.launch else {})


def _launch(launch: Launch, chosen: Choices, notes: Notes) -> Json:
    names = {"version": _("engine version"), "model": _("model"), "weights": _("weights"), "gpus": _("number of GPUs")}
    given = launch.model_dump()
    for name, what in names.items():
        value = notes.chosen(what, getattr(chosen, name), given[name])
        if value is not None:
            given[name] = value
    for name, value in (chosen.flags or {}).items():
        notes.chosen(f"--{name}", value, launch.flags.get(name))
    given["flags"] |= chosen.flags or {}
    if launch.gpus and given["gpus"] == 0:
        given["flags"] |= engine_flags.on_cpu(launch.engine, notes)
    if chosen.revision or given["model"] != launch.model:
        given["revision"] = chosen.revision  # a commit is one of its own model's repository
    return given


def _points(point: Point, chosen: Choices, notes: Notes) -> tuple[Json, ...]:
    if chosen.concurrencies:
        listed = ", ".join(map(str, chosen.concurrencies))
        notes.assume(_("concurrencies of the sweep: {list}").format(list=listed))
        return tuple(_point(point, count, chosen, notes) for count in chosen.concurrencies)
    return (_point(point, notes.chosen("concurrency", chosen.concurrency, point.concurrency), chosen, notes),)


def _point(point: Point, concurrency: int | None, chosen: Choices, notes: Notes) -> Json:
    """With at least a request for each that is to be under way."""
    requests = notes.chosen(_("requests of a repeat"), chosen.requests, point.requests) or point.requests
    load = {} if concurrency is None else {"concurrency": concurrency, "rate": None}
    return point.model_dump() | load | {"requests": max(requests, concurrency or point.concurrency or 1)}


def _accelerator(stated: str | None, chosen: Choices, notes: Notes) -> str | None:
    if notes.chosen("GPU", chosen.accelerator, stated) is not None:
        return None if chosen.accelerator == "any" else chosen.accelerator
    return stated

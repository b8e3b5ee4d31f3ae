"""A claim or a card -> the plan that measures it again, with everything that had to be assumed for it, or what is
missing. Pure.

Facts have no defaults: a length, a version, a model that nobody states is missing until somebody chooses it. What only
a run needs (seed, repeats, requests) is chosen here and written down as an assumption.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.cards import row as card_words
from app.claims.schema import Acceptance
from app.compare.reproduction import FEWEST
from app.compare.setup import baseline_conditions
from app.jobs import flags as engine_flags
from app.jobs.amounts import too_much
from app.jobs.choices import MOST, RELEASE, Choices
from app.jobs.command_line import of_argv
from app.jobs.notes import Notes
from app.jobs.quantities import QUANTITIES
from app.jobs.quantities import limit as limit_of
from app.language import N_, _
from app.protocol.engines import titled
from app.protocol.english import refusal
from app.protocol.launch import Launch
from app.protocol.plan import JobKind, Plan, Point, Side, SideName, Workload
from app.protocol.policy.decide import LOAD_FORMAT

if TYPE_CHECKING:
    from app.cards.schema import Card
    from app.claims.schema import ClaimRow, Conditions

REPEATS, REQUESTS_A_STREAM, SECONDS_AT_A_RATE = 5, 10, 60
SWEEP = (1, 2, 4, 8, 16, 32, 64)
COUNT = re.compile(r"\d{1,9}")
THOUSANDS = re.compile(r"(\d{1,4})K")
RATE = re.compile(r"\d+(\.\d+)?")
RANDOM_IDS = N_("uniform random token ids")
WHOSE = (N_("side A, the baseline"), N_("side B, the claim's own"))
LENGTHS = {
    "input": (N_("input tokens"), N_("input length")),
    "output": (N_("output tokens"), N_("output length")),
}
SILENT = N_("the source states no {what}")


@dataclass(frozen=True)
class Planned:
    """`plan` is None exactly where something is `missing`. `accelerator` is the GPU that the claim was measured on.
    `supplied_by`: for each thing that is missing the field of Choices that supplies it, "" where none does.
    `measurement`: the one whose own plan it is, None of a plan that is made of words."""

    plan: Plan | None
    assumptions: tuple[str, ...]
    missing: tuple[str, ...]
    accelerator: str | None
    supplied_by: tuple[str, ...] = ()
    measurement: str | None = None


@dataclass(frozen=True)
class _Wanted:
    """What a claim and a card have in common for a plan. `command` is a card's own command line with its variables."""

    title: str
    conditions: Conditions
    acceptance: Acceptance
    axis: str | None
    requests: str | None = None
    repeats: int | None = None
    seed: str | None = None
    command: tuple[tuple[str, ...], dict[str, str]] | None = None


def from_claim(claim: ClaimRow, seed: int, choices: Choices | None = None) -> Planned:
    """The plan of a published number, or of a row that a card shows. `seed` is where the prompts come from."""
    chosen, notes = choices or Choices(), Notes()
    if claim.axis not in QUANTITIES:
        notes.lack(
            _("what the claim measures ({axis}) is nothing that a load test measures").format(
                axis=claim.axis.replace("_", " ")
            )
        )
    given = claim.conditions
    wanted = _Wanted(
        claim.title, given, claim.acceptance, claim.axis, given.workload.requests, None, given.workload.seed
    )
    sides = [wanted]
    if claim.kind != "absolute":
        other = baseline_conditions(claim)
        if other is None:
            says = claim.baseline.text or _("nothing")
            notes.lack(
                _("what the ratio divides by is not stated as conditions (the source says: {says})").format(says=says)
            )
        else:
            acceptance = Acceptance(kind="none") if other.speculation.method == "off" else claim.acceptance
            label = claim.baseline.text or "what the ratio divides by"
            sides.insert(0, replace(wanted, title=label, conditions=other, acceptance=acceptance))
    return _plan(sides, seed, chosen, notes)


def from_card(card: Card, seed: int, choices: Choices | None = None) -> Planned:
    """The plan of a card: by its own command line where it has one, else by its conditions."""
    given, speculation = card_words.conditions(card), card.speculation
    forced = speculation is not None and speculation.acceptance in card_words.FORCED
    acceptance = Acceptance(
        kind=speculation.acceptance or "not_stated" if speculation and speculation.method != "off" else "none",
        target=speculation.accept_length if speculation and forced else None,
    )
    launch, runs = card.launch, card.runs.count if card.runs else None
    command = (launch.argv, dict(launch.env or {})) if launch and launch.argv else None
    seed_stated = card.workload.seed if card.workload else None
    wanted = _Wanted(
        title=card.title or "bench card",
        conditions=given,
        acceptance=acceptance,
        axis=card.metric.axis if card.metric else None,
        repeats=runs if runs and FEWEST <= runs <= 50 else None,
        seed=None if seed_stated is None else str(seed_stated),
        command=command,
    )
    return _plan([wanted], seed, choices or Choices(), Notes())


def _plan(sides: list[_Wanted], seed: int, chosen: Choices, notes: Notes) -> Planned:
    own = sides[-1]
    launches = _launches(sides, chosen, notes)
    workload = _workload(own, seed, chosen, notes)
    points = _points(own, chosen, notes)
    if len(sides) == 2:
        _one_change(sides, launches, notes)
    accelerator = _accelerator(own, chosen, notes)
    if notes.missing or workload is None:
        assumed, missing = tuple(notes.assumptions), tuple(notes.missing)
        return Planned(None, assumed, missing, accelerator, tuple(notes.missing.values()))
    kind: JobKind = "ab" if len(sides) == 2 else "sweep" if len(points) > 1 else "point"
    names: tuple[SideName, ...] = ("a", "b")
    plan = Plan(
        kind=kind,
        sides=tuple(
            Side(name=name, label=side.title[:4000], launch=launch)
            for name, side, launch in zip(names, sides, launches, strict=False)
        ),
        workload=workload,
        points=tuple(points),
        repeats=_repeats(own, chosen, notes),
        wall_s=chosen.wall_s or Plan.model_fields["wall_s"].default,
    )
    large = tuple(too_much(plan))
    if large:
        return Planned(None, tuple(notes.assumptions), large, accelerator, ("requests",) * len(large))
    return Planned(plan, tuple(notes.assumptions), (), accelerator)


def _launches(sides: list[_Wanted], chosen: Choices, notes: Notes) -> list[Launch | None]:
    """Of a ratio each note says whose it is."""
    if len(sides) == 1:
        return [_launch(sides[0], chosen, notes)]
    own = {whose: Notes() for whose in WHOSE}
    launches = [_launch(side, chosen, of) for side, of in zip(sides, own.values(), strict=True)]
    notes.take(own)
    return launches


def _launch(side: _Wanted, chosen: Choices, notes: Notes) -> Launch | None:
    given = side.conditions
    engine = titled(given.engine.name)
    if engine is None:
        notes.lack(
            _("engine {name}: not one that a runner starts").format(name=given.engine.name)
            if given.engine.name
            else _no(_("engine"))
        )
        return None
    version = _version(given, chosen, notes)
    flags, env, named = _flags(side, engine, notes)
    model = notes.chosen(_("model"), chosen.model, named or given.model.id) or named or given.model.id
    if model is None:
        notes.lack(_no(_("model")), "model")
    gpus = _gpus(given, chosen, notes)
    if gpus == 0 and side.command is None:
        flags |= engine_flags.on_cpu(engine, notes)
    for name, value in (chosen.flags or {}).items():
        notes.chosen(f"--{name}", value, flags.get(name))
        flags[name] = value
    if version is None or model is None or gpus is None:
        return None
    revision = given.model.revision if re.fullmatch(r"[0-9a-f]{40}", given.model.revision or "") else None
    stated = engine_flags.weights_of(given.model.weights, flags, notes)
    weights = notes.chosen(_("weights"), chosen.weights, stated) or stated
    if weights is None:
        notes.assume(_("weights: real, as a published number's are unless it says otherwise"))
    if weights != stated or weights == "dummy":
        flags.pop(LOAD_FORMAT, None)  # the launch says it in its own field
    fields: dict[str, Any] = {
        "engine": engine,
        "version": version,
        "model": model,
        "revision": chosen.revision or revision,
    }
    fields |= {"weights": weights or "real", "gpus": gpus, "flags": flags, "env": env}
    try:
        return Launch.model_validate(fields)
    except ValidationError as error:
        for problem in error.errors():
            where = ".".join(str(part) for part in problem["loc"])
            notes.lack(
                _("{where}: `{value}` cannot be started: {why}").format(
                    where=where, value=str(problem["input"])[:80], why=refusal(problem)
                )
            )
        return None


def _flags(side: _Wanted, engine: str, notes: Notes) -> tuple[dict[str, Any], dict[str, str], str | None]:
    if side.command is not None:
        argv, env = side.command
        flags, model = of_argv(argv, engine, notes)
        return flags, env, model
    flags = engine_flags.of_conditions(side.conditions, side.acceptance, engine, notes)
    return flags, engine_flags.forced_environment(side.acceptance, engine, notes), None


def _version(given: Conditions, chosen: Choices, notes: Notes) -> str | None:
    stated = given.engine.version
    if notes.chosen(_("engine version"), chosen.version, stated or given.engine.commit):
        return chosen.version
    if stated is not None and RELEASE.fullmatch(stated):
        if given.engine.commit:
            notes.assume(
                _("engine version: the release {stated}, not the commit {commit}").format(
                    stated=stated, commit=given.engine.commit
                )
            )
        return stated
    told = stated or (_("the commit {commit}").format(commit=given.engine.commit) if given.engine.commit else None)
    said = (
        _no(_("engine version"))
        if told is None
        else _("the engine is `{told}`, no release that can be installed").format(told=told)
    )
    notes.lack(said, "version")
    return None


def _gpus(given: Conditions, chosen: Choices, notes: Notes) -> int | None:
    if notes.chosen(_("number of GPUs"), chosen.gpus, given.hardware.count) is not None:
        return chosen.gpus
    found = engine_flags.gpus_of(given)
    if found is None:
        notes.lack(_no(_("number of GPUs")), "gpus")
    elif given.hardware.count is None and found:
        notes.assume(
            _("number of GPUs: {found}, by its parallelism {parallelism}").format(
                found=found, parallelism=given.parallelism
            )
        )
    return found


def _accelerator(side: _Wanted, chosen: Choices, notes: Notes) -> str | None:
    stated = side.conditions.hardware.accelerator
    if notes.chosen("GPU", chosen.accelerator, stated) is not None:
        return None if chosen.accelerator == "any" else chosen.accelerator
    return stated


def _workload(side: _Wanted, seed: int, chosen: Choices, notes: Notes) -> Workload | None:
    given = side.conditions.workload
    lengths = (
        _length("input", given.input_tokens, chosen.input_tokens, notes),
        _length("output", given.output_tokens, chosen.output_tokens, notes),
    )
    cache = _cache(given.prefix_cache, notes)
    if given.dataset != RANDOM_IDS:
        notes.assume(
            _("prompts: {ids}; the source used {dataset}").format(ids=_(RANDOM_IDS), dataset=given.dataset)
            if given.dataset
            else _("prompts: {ids}; the source states none").format(ids=_(RANDOM_IDS))
        )
    notes.assume(
        _("seed of the prompts: {seed}; the source's {stated} draws other prompts").format(seed=seed, stated=side.seed)
        if side.seed
        else _("seed of the prompts: {seed}").format(seed=seed)
    )
    if None in lengths or cache is None:
        return None
    turns = int(given.turns) if given.turns and COUNT.fullmatch(given.turns) else 1
    fields = {"input_tokens": lengths[0], "output_tokens": lengths[1], "turns": turns, "seed": seed}
    return Workload.model_validate({**fields, "prefix_cache": cache})


def _length(which: str, stated: str | None, chosen: int | None, notes: Notes) -> int | None:
    tokens, name = LENGTHS[which]
    if notes.chosen(_(tokens), chosen, stated) is not None:
        return chosen
    found = length(stated)
    if found is None:
        lack = _no(_(name))
        told = (
            lack
            if stated is None
            else _("the {length} is `{stated}`; a job sends one fixed length").format(length=_(name), stated=stated)
        )
        notes.lack(told, f"{which}_tokens")
    elif not COUNT.fullmatch(stated or ""):
        notes.assume(
            _("{tokens}: {found} for the source's {stated}").format(tokens=_(tokens), found=found, stated=stated)
        )
    return found


def length(text: str | None) -> int | None:
    """Tokens as one number: "8192", and "8K" as 8 x 1024; None for anything that is no one length."""
    if text and COUNT.fullmatch(text) and int(text):
        return int(text)
    thousands = THOUSANDS.fullmatch(text or "")
    return int(thousands[1]) * 1024 if thousands and int(thousands[1]) else None


def _cache(stated: str | None, notes: Notes) -> str | None:
    if stated is None:
        notes.assume(_("prefix cache: cleared before every repeat; the source states nothing"))
    elif stated not in ("cleared", "warm", "off"):
        notes.lack(_("the prefix cache stood at `{stated}`, which a job cannot set up").format(stated=stated))
        return None
    return "warm" if stated == "warm" else "cleared"


def _points(side: _Wanted, chosen: Choices, notes: Notes) -> list[Point]:
    load = side.conditions.load
    limited = side.axis == "per_gpu_at_limit" or limit_of(side.conditions.limit) is not None
    if chosen.concurrencies or (limited and load.concurrency is None and chosen.concurrency is None):
        several = chosen.concurrencies or SWEEP
        notes.assume(_("concurrencies of the sweep: {list}").format(list=", ".join(map(str, several))))
        return [Point(concurrency=count, requests=_requests(side, count, chosen, notes)) for count in several]
    stated = load.concurrency or load.batch
    if notes.chosen("concurrency", chosen.concurrency, stated):
        assert chosen.concurrency is not None
        return [Point(concurrency=chosen.concurrency, requests=_requests(side, chosen.concurrency, chosen, notes))]
    if stated is not None and COUNT.fullmatch(stated) and int(stated):
        return [Point(concurrency=int(stated), requests=_requests(side, int(stated), chosen, notes))]
    if stated is None and load.rate and RATE.fullmatch(load.rate) and float(load.rate):
        rate = float(load.rate)
        return [Point(rate=rate, requests=_requests(side, None, chosen, notes, rate))]
    told = stated or load.rate
    said = (
        _no(_("load"))
        if told is None
        else _("the load is `{told}`, neither one concurrency nor one rate").format(told=told)
    )
    notes.lack(said, "concurrency")
    return []


def _requests(side: _Wanted, streams: int | None, chosen: Choices, notes: Notes, rate: float = 0.0) -> int:
    if notes.chosen(_("requests of a repeat"), chosen.requests, side.requests):
        return max(chosen.requests or 1, streams or 1)
    if side.requests and COUNT.fullmatch(side.requests) and int(side.requests) >= (streams or 1):
        return int(side.requests)
    if streams is not None:
        notes.assume(_("requests of a repeat: {count} for each concurrent one").format(count=REQUESTS_A_STREAM))
        return min(REQUESTS_A_STREAM * streams, MOST)
    notes.assume(_("requests of a repeat: those of {seconds} s").format(seconds=SECONDS_AT_A_RATE))
    return max(1, round(rate * SECONDS_AT_A_RATE))


def _repeats(side: _Wanted, chosen: Choices, notes: Notes) -> int:
    if chosen.repeats or side.repeats:
        return notes.chosen(_("repeats"), chosen.repeats, side.repeats) or side.repeats or REPEATS
    notes.assume(_("repeats: {count}").format(count=REPEATS))
    return REPEATS


def _one_change(sides: list[_Wanted], launches: list[Launch | None], notes: Notes) -> None:
    """Both sides of a ratio run under one load; what sets them apart must be something that a launch can say."""
    one, two = (side.conditions for side in sides)
    if one.workload != two.workload or one.load != two.load:
        notes.lack(_("the two sides of the ratio were measured under two workloads; a job runs both under one"))
    if None not in launches and launches[0] == launches[1]:
        notes.lack(_("nothing that a flag here sets tells the two sides of the ratio apart"))


def _no(what: str) -> str:
    return _(SILENT).format(what=what)

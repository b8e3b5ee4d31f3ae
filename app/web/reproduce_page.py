"""The plan that measures a claim or a card again, or what is missing for it -> the page that asks for it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.errors import InvalidInputError
from app.jobs.choices import Choices
from app.jobs.command_line import flags_of
from app.jobs.notes import Notes
from app.language import N_, _
from app.protocol.english import counted, refusal
from app.web.approval_contexts import ChoiceField, ObstacleLine, ReproducePage
from app.web.contexts import Link, Shell
from app.web.job_page import plan_facts, side_parts, waiting
from app.web.job_words import DUMMY_TEXT
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.errors import AppError
    from app.jobs.here import Obstacle
    from app.jobs.plans import Planned

ABOUT = N_("Measure it again here: what would run, what had to be assumed for it, or what is missing.")
# What a reader may choose over what is stated: name -> label, help, values where there are few.
FIELDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "version": (N_("Engine version"), N_("For example 0.33.0"), ()),
    "model": (N_("Model"), N_("For example Qwen/Qwen3-8B"), ()),
    "revision": (N_("Commit of the model"), N_("40 hexadecimal digits"), ()),
    "weights": (N_("Weights"), "", ("real", "dummy")),
    "accelerator": (N_("GPU"), N_("For example H200, or “any”"), ()),
    "gpus": (N_("Number of GPUs"), N_("0 for the CPU"), ()),
    "input_tokens": (N_("Input tokens"), N_("For example 8192"), ()),
    "output_tokens": (N_("Output tokens"), N_("For example 1024"), ()),
    "concurrency": (N_("Concurrency"), N_("For example 16"), ()),
    "requests": (N_("Requests of a repeat"), N_("For example 160"), ()),
    "repeats": (N_("Repeats"), N_("For example 5"), ()),
    "flags": (N_("Further flags of the engine"), N_("For example --attention-backend fa3 --enforce-eager"), ()),
}
MISSING, NEVER = N_("Not attemptable as it stands"), N_("Nobody may start this here")
PROPOSAL = N_(
    "The source names no release that can be installed. Release {release} is proposed: the newest that a runner here "
    "has, or that Benchcard knows. Asking for the job chooses it; another can be chosen below."
)
DUMMY_LABELS = {"": N_("as stated"), "real": N_("the model's own"), "dummy": N_("random")}


def chosen(given: Mapping[str, str]) -> Choices:
    """The choices of a form, each field as typed; an empty one chooses nothing. Raises InvalidInputError."""
    typed: dict[str, Any] = {name: given[name].strip() for name in FIELDS if given.get(name, "").strip()}
    notes = Notes()
    if "flags" in typed:
        typed["flags"] = flags_of(typed["flags"], notes)
    problems = [("flags", text) for text in notes.missing]
    try:
        found = Choices.model_validate(typed)
    except ValidationError as error:
        problems += [(str(item["loc"][0]), _refused(item)) for item in error.errors()]
    if problems:
        message = "; ".join(f"{_(FIELDS[name][0])}: {text}" for name, text in problems)
        raise InvalidInputError(message, [{"field": name, "message": text} for name, text in problems])
    return found


def _refused(problem: Mapping[str, Any]) -> str:
    """What was typed, why it cannot be taken, and what can."""
    name, *inner = map(str, problem["loc"])
    label, help_, values = FIELDS[name]
    given, pattern = (
        f"`{str(inner[0] if inner else problem['input'])[:60]}`",
        problem["type"] == "string_pattern_mismatch",
    )
    why = _("is not written as {what} is").format(what=_(label).lower()) if pattern else refusal(problem)
    return f"{given} {why}" + (f". {_(help_)}" if help_ and not values else "")


@dataclass(frozen=True)
class Asked:
    """What the page is of. `of` is the address of the claim or card, `given` the choices as typed, `seed` where the
    prompts come from; `planned` is None where the choices themselves cannot be taken; `obstacles` in the order of
    app.jobs.here; `lacking` by runner; `release`: of the engine, where the page proposes one."""

    heading: str
    of: str
    given: Mapping[str, str]
    seed: int
    planned: Planned | None
    obstacles: Sequence[Obstacle]
    lacking: Mapping[str, Sequence[str]]
    release: str | None = None


def reproduce_page(asked: Asked, *, error: AppError | None, why_not: str, sign_in: str) -> ReproducePage:
    """`why_not`: why this visitor cannot ask for it, "" where they can."""
    planned, given = asked.planned, asked.given
    plan = planned.plan if planned else None
    never = any(item.kind == "never" for item in asked.obstacles)
    typed = {name: given[name] for name in FIELDS if given.get(name)}
    wrong = _wrong(error)
    by_field = {name: "; ".join(text for of, text in wrong if of == name) for name, _text in wrong}
    return ReproducePage(
        shell=Shell(_("Reproduce: {heading}").format(heading=asked.heading), _(ABOUT), "/jobs"),
        heading=asked.heading,
        url=f"{asked.of}/reproduce",
        back_url=asked.of,
        plan_of=_plan_of(planned),
        stopped="" if planned is None else _(NEVER) if never else "" if plan else _(MISSING),
        obstacles=tuple(_obstacle(item) for item in asked.obstacles),
        remedy=_remedy(asked.obstacles),
        assumptions=tuple(map(plain, planned.assumptions)) if planned else (),
        proposal=_(PROPOSAL).format(release=asked.release) if asked.release else "",
        place=_place(planned) if planned else "",
        facts=plan_facts(plan) if plan else (),
        sides=side_parts(plan) if plan else (),
        dummy=_(DUMMY_TEXT) if plan and plan.on_random_weights else "",
        runners=waiting(asked.lacking) if plan else None,
        fields=tuple(_field(name, given.get(name, ""), plain(by_field.get(name, ""))) for name in FIELDS),
        hidden=tuple({**typed, "seed": str(asked.seed)}.items()),
        may=plan is not None and not why_not and not never,
        trouble=plain(error.message) if error and not wrong else "",
        wrong=tuple(Link(plain(f"{_(FIELDS[name][0])}: {text}"), f"#c-{name}") for name, text in wrong),
        why_not=why_not if plan else "",
        sign_in_url=sign_in,
    )


def _wrong(error: AppError | None) -> list[tuple[str, str]]:
    """What is wrong with the fields that an error is about, by name."""
    details = error.details if error else []
    return [(str(item["field"]), str(item["message"])) for item in details if item.get("field") in FIELDS]


def _plan_of(planned: Planned | None) -> Link | None:
    name = planned.measurement if planned else None
    return Link(_("measurement {name}").format(name=name), f"/measurements/{name}") if name else None


def _obstacle(item: Obstacle) -> ObstacleLine:
    choice = _(FIELDS[item.choice][0]) if item.choice else ""
    return ObstacleLine(
        plain(item.text), Link(_("choose: {choice}").format(choice=choice), f"#c-{item.choice}") if choice else None
    )


def _remedy(found: Sequence[Obstacle]) -> str:
    """What a reader can do, "" where nothing that is missing can be chosen or nothing is missing."""
    missing = [item for item in found if item.kind == "missing"]
    if not any(item.choice for item in missing):
        return _("None of this can be chosen here: a job cannot measure it as it is published.") if missing else ""
    chosen = _("What has a link can be chosen below; it is then an assumption of yours, and stands beside the result.")
    if all(item.choice for item in missing):
        return chosen
    fixed = _("The rest cannot be chosen: as long as it stands, no job measures this as it is published.")
    return f"{chosen} {fixed}"


def _place(planned: Planned) -> str:
    gpus = max((side.launch.gpus for side in planned.plan.sides if side.launch), default=0) if planned.plan else 0
    if gpus == 0:
        return _("the CPU")
    many = counted(gpus, "GPU")
    if planned.accelerator:
        return many.replace("GPU", f"{planned.accelerator} GPU")
    return _("{gpus} of any kind").format(gpus=many)


def _field(name: str, value: str, wrong: str) -> ChoiceField:
    label, help_, values = FIELDS[name]
    options = tuple((option, _(DUMMY_LABELS[option])) for option in ("", *values)) if values else ()
    return ChoiceField(name, _(label), _(help_), value, options, wrong)

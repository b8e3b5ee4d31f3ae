"""The plan that measures a claim or a card again, or what is missing for it -> the page that asks for it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.errors import InvalidInputError
from app.jobs.plans import Choices
from app.protocol.english import counted, refusal
from app.web.approval_contexts import ChoiceField, ObstacleLine, ReproducePage
from app.web.contexts import Link, Shell
from app.web.job_page import plan_facts, side_parts, waiting
from app.web.job_words import DUMMY_TEXT
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.jobs.here import Obstacle
    from app.jobs.plans import Planned

ABOUT = "Measure it again here: what would run, what had to be assumed for it, or what is missing."
# What a reader may choose over what is stated: name -> label, help, values where there are few.
FIELDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "version": ("Engine version", "For example 0.33.0", ()),
    "model": ("Model", "For example Qwen/Qwen3-8B", ()),
    "revision": ("Commit of the model", "40 letters and digits", ()),
    "weights": ("Weights", "", ("real", "dummy")),
    "accelerator": ("GPU", "For example H200, or “any”", ()),
    "gpus": ("Number of GPUs", "0 for the CPU", ()),
    "input_tokens": ("Input tokens", "For example 8192", ()),
    "output_tokens": ("Output tokens", "For example 1024", ()),
    "concurrency": ("Concurrency", "For example 16", ()),
    "requests": ("Requests of a repeat", "For example 160", ()),
    "repeats": ("Repeats", "For example 5", ()),
}
MISSING, NEVER = "Not attemptable as it stands", "Nobody may start this here"
DUMMY_LABELS = {"": "as stated", "real": "the model's own", "dummy": "random"}


def chosen(given: Mapping[str, str]) -> Choices:
    """The choices of a form, each field as typed; an empty one chooses nothing. Raises InvalidInputError."""
    typed = {name: given[name].strip() for name in FIELDS if given.get(name, "").strip()}
    try:
        return Choices.model_validate(typed)
    except ValidationError as error:
        problems = [(str(item["loc"][0]), _refused(str(item["loc"][0]), item)) for item in error.errors()]
        message = "; ".join(f"{FIELDS[name][0]} {text}" for name, text in problems)
        raise InvalidInputError(message, [{"field": name, "message": text} for name, text in problems]) from error


def _refused(name: str, problem: Mapping[str, Any]) -> str:
    """What was typed, why it cannot be taken, and what can."""
    label, help_, values = FIELDS[name]
    given, pattern = f"`{str(problem['input'])[:60]}`", problem["type"] == "string_pattern_mismatch"
    why = f"is not written as {label.lower()} is" if pattern else refusal(problem)
    return f"{given} {why}" + (f". {help_}" if help_ and not values else "")


@dataclass(frozen=True)
class Asked:
    """What the page is of. `of` is the address of the claim or card, `given` the choices as typed, `seed` where the
    prompts come from; `planned` is None where the choices themselves cannot be taken; `obstacles` in the order of
    app.jobs.here; `lacking` by runner."""

    heading: str
    of: str
    given: Mapping[str, str]
    seed: int
    planned: Planned | None
    obstacles: Sequence[Obstacle]
    lacking: Mapping[str, Sequence[str]]


def reproduce_page(asked: Asked, *, trouble: str, why_not: str, sign_in: str) -> ReproducePage:
    """`why_not`: why this visitor cannot ask for it, "" where they can."""
    planned, given = asked.planned, asked.given
    plan = planned.plan if planned else None
    never = any(item.kind == "never" for item in asked.obstacles)
    typed = {name: given[name] for name in FIELDS if given.get(name)}
    return ReproducePage(
        shell=Shell(f"Reproduce: {asked.heading}", ABOUT, "/jobs"),
        heading=asked.heading,
        url=f"{asked.of}/reproduce",
        back_url=asked.of,
        stopped="" if planned is None else NEVER if never else "" if plan else MISSING,
        obstacles=tuple(_obstacle(item) for item in asked.obstacles),
        remedy=_remedy(asked.obstacles),
        assumptions=tuple(map(plain, planned.assumptions)) if planned else (),
        place=_place(planned) if planned else "",
        facts=plan_facts(plan) if plan else (),
        sides=side_parts(plan) if plan else (),
        dummy=DUMMY_TEXT if plan and plan.on_random_weights else "",
        runners=waiting(asked.lacking) if plan else None,
        fields=tuple(_field(name, given.get(name, "")) for name in FIELDS),
        hidden=tuple({**typed, "seed": str(asked.seed)}.items()),
        may=plan is not None and not why_not and not never,
        trouble=trouble,
        why_not=why_not if plan else "",
        sign_in_url=sign_in,
    )


def _obstacle(item: Obstacle) -> ObstacleLine:
    choice = FIELDS[item.choice][0] if item.choice else ""
    return ObstacleLine(plain(item.text), Link(f"choose: {choice}", f"#c-{item.choice}") if choice else None)


def _remedy(found: Sequence[Obstacle]) -> str:
    """What a reader can do, "" where nothing that is missing can be chosen or nothing is missing."""
    missing = [item for item in found if item.kind == "missing"]
    if not any(item.choice for item in missing):
        return "None of this can be chosen here: a job cannot measure it as it is published." if missing else ""
    chosen = "What has a link can be chosen below; it is then an assumption of yours, and stands beside the result."
    fixed = " The rest cannot be chosen: as long as it stands, no job measures this as it is published."
    return chosen + ("" if all(item.choice for item in missing) else fixed)


def _place(planned: Planned) -> str:
    gpus = max((side.launch.gpus for side in planned.plan.sides if side.launch), default=0) if planned.plan else 0
    if gpus == 0:
        return "the CPU"
    kind = f"{planned.accelerator} GPU" if planned.accelerator else "GPU of any kind"
    return counted(gpus, kind, kind.replace("GPU", "GPUs"))


def _field(name: str, value: str) -> ChoiceField:
    label, help_, values = FIELDS[name]
    options = tuple((option, DUMMY_LABELS[option]) for option in ("", *values)) if values else ()
    return ChoiceField(name, label, help_, value, options)

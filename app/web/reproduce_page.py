"""The plan that measures a claim or a card again, or what is missing for it -> the page that asks for it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.errors import InvalidInputError
from app.jobs.plans import Choices
from app.web.approval_contexts import ChoiceField, ReproducePage
from app.web.contexts import Shell
from app.web.job_page import plan_facts, side_parts, waiting
from app.web.job_words import DUMMY_TEXT
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
DUMMY_LABELS = {"": "as stated", "real": "the model's own", "dummy": "random"}


def chosen(given: Mapping[str, str]) -> Choices:
    """The choices of a form, each field as typed; an empty one chooses nothing. Raises InvalidInputError."""
    typed = {name: given[name].strip() for name in FIELDS if given.get(name, "").strip()}
    try:
        return Choices.model_validate(typed)
    except ValidationError as error:
        problems = [(str(item["loc"][0]), f"`{str(item['input'])[:60]}`: {item['msg']}") for item in error.errors()]
        message = "; ".join(f"{FIELDS[name][0]} {text}" for name, text in problems)
        raise InvalidInputError(message, [{"field": name, "message": text} for name, text in problems]) from error


@dataclass(frozen=True)
class Asked:
    """What the page is of. `of` is the address of the claim or card, `given` the choices as typed, `seed` where the
    prompts come from; `planned` is None where the choices themselves cannot be taken; `never` says why nobody may start
    it."""

    heading: str
    of: str
    given: Mapping[str, str]
    seed: int
    planned: Planned | None
    lacking: Mapping[str, Sequence[str]]
    never: tuple[str, ...] = ()


def reproduce_page(asked: Asked, *, trouble: str, why_not: str, sign_in: str) -> ReproducePage:
    """`why_not`: why this visitor cannot ask for it, "" where they can."""
    planned, given = asked.planned, asked.given
    plan = planned.plan if planned else None
    typed = {name: given[name] for name in FIELDS if given.get(name)}
    return ReproducePage(
        shell=Shell(f"Reproduce: {asked.heading}", ABOUT, "/jobs"),
        heading=asked.heading,
        url=f"{asked.of}/reproduce",
        back_url=asked.of,
        missing=tuple(map(plain, planned.missing)) if planned else (),
        never=asked.never,
        assumptions=tuple(map(plain, planned.assumptions)) if planned else (),
        place=_place(planned) if planned else "",
        facts=plan_facts(plan) if plan else (),
        sides=side_parts(plan) if plan else (),
        dummy=DUMMY_TEXT if plan and plan.on_random_weights else "",
        runners=waiting(asked.lacking) if plan else None,
        fields=tuple(_field(name, given.get(name, "")) for name in FIELDS),
        hidden=tuple({**typed, "seed": str(asked.seed)}.items()),
        may=plan is not None and not why_not and not asked.never,
        trouble=trouble,
        why_not=why_not if plan else "",
        sign_in_url=sign_in,
    )


def _place(planned: Planned) -> str:
    gpus = max((side.launch.gpus for side in planned.plan.sides if side.launch), default=0) if planned.plan else 0
    if gpus == 0:
        return "the CPU"
    kind = f"{planned.accelerator} GPU" if planned.accelerator else "GPU of any kind"
    return f"1 {kind}" if gpus == 1 else f"{gpus} {kind.replace('GPU', 'GPUs')}"


def _field(name: str, value: str) -> ChoiceField:
    label, help_, values = FIELDS[name]
    options = tuple((option, DUMMY_LABELS[option]) for option in ("", *values)) if values else ()
    return ChoiceField(name, label, help_, value, options)

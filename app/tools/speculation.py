"""Speculative decoding on the back of an envelope: one constant step time, every acceptance. Pure.

A stream gains `acceptance` tokens in a step, so rate = acceptance / step time (app.compare.speculation). Decimals with
28 digits throughout; what is told has twelve.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from app.axes import AXES
from app.compare.speculation import CONSTANT_STEP, break_even_length, cycle_ms, rate_at, steps_per_second
from app.compare.words import capital
from app.tools.asked import Field, read, refused
from app.tools.numbers import about, figure, plain
from app.tools.schema import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.tools.asked import Given
    from app.tools.schema import Figure

COUNTED = (("vllm", "as vLLM counts it"), ("sglang", "as SGLang counts it"))
KINDS = (
    ("", "not stated"),
    ("measured", "measured on real text"),
    ("simulated", "simulated by the engine"),
    ("synthetic", "synthetic: every draft accepted, or a fixed length"),
)
AXIS = {"vllm": "acceptance_length_vllm", "sglang": "acceptance_length_sglang"}
FORCED = ("simulated", "synthetic")
DISAGREE = Decimal("0.01")  # of the step time; three numbers that were rounded for print agree better
MARGIN = Decimal("0.005")  # nearer to its break-even than this, speculation neither gains nor loses

FIELDS = (
    Field(
        "counted",
        "Acceptance is counted",
        "choice",
        "Two axes: vLLM leaves out steps without a draft, SGLang counts every verify step.",
        choices=COUNTED,
        needed=True,
        group="With speculation",
    ),
    Field("rate", "Rate", "number", "Of one stream, with speculation on.", "853.49", "tok/s", group="With speculation"),
    Field(
        "acceptance",
        "Acceptance length",
        "number",
        "Tokens kept in a step, the target's own among them.",
        "5.520",
        "tokens/step",
        group="With speculation",
    ),
    Field(
        "step_ms",
        "Step time",
        "number",
        "One draft and verify step. Any two of rate, acceptance and step time give the third.",
        "6.47",
        "ms",
        group="With speculation",
    ),
    Field(
        "kind",
        "That acceptance was",
        "choice",
        "A forced length belongs to no text that anybody asked for.",
        choices=KINDS,
        group="With speculation",
    ),
    Field(
        "off_rate",
        "Rate without speculation",
        "number",
        "The same build and hardware with speculation off. Gives the break-even.",
        "223.50",
        "tok/s",
        group="Set against",
    ),
    Field(
        "at",
        "Another acceptance",
        "number",
        "What your own traffic gets, say. Gives the rate there.",
        "3.17",
        "tokens/step",
        group="Set against",
    ),
    Field(
        "draft_tokens",
        "Draft tokens",
        "count",
        "Drafted in a step. No acceptance can be above draft tokens + 1.",
        "5",
        group="Set against",
    ),
)
ASSUMES = (
    f"{capital(CONSTANT_STEP)}: a step costs the same whatever it keeps. At larger batches, "
    "with adaptive draft lengths or an early exit of the drafter it does not.",
    "One stream. Under load the verify step competes with other requests' tokens, and the break-even rises.",
)


@dataclass(frozen=True)
class Steps:
    """Two of the three, and the third from them."""

    rate: Decimal
    acceptance: Decimal
    given: frozenset[str]

    @property
    def step_ms(self) -> Decimal:
        return cycle_ms(self.rate, self.acceptance)


def speculation(typed: Mapping[str, str], claim: str = "") -> Answer:
    """What the numbers imply. `claim` is the id of the claim that they come from, "" for none. Raises
    InvalidInputError with every problem and how to mend it."""
    given = read(FIELDS, typed)
    steps = _steps(given)
    _within_ceiling(given, steps)
    return Answer(
        tool="speculation",
        given={field.name: typed[field.name].strip() for field in FIELDS if typed.get(field.name, "").strip()},
        verdict=_verdict(given, steps),
        figures=tuple(_figures(given, steps)),
        warnings=tuple(_warnings(given, steps)),
        assumes=(_counted(given), *ASSUMES),
        card=_card(typed, given, steps, claim),
    )


def missing_numbers(typed: Mapping[str, str]) -> bool:
    """Whether fewer than two of the three are there, so that nothing follows yet."""
    return sum(bool(typed.get(name, "").strip()) for name in ("rate", "acceptance", "step_ms")) < 2


def _steps(given: Given) -> Steps:
    rate, acceptance, step = (given.number(name) for name in ("rate", "acceptance", "step_ms"))
    stated = frozenset(given.numbers) & {"rate", "acceptance", "step_ms"}
    if rate is not None and acceptance is not None:
        return Steps(rate, acceptance, stated)
    if step is not None and acceptance is not None:
        return Steps(acceptance / step * 1000, acceptance, stated)
    if step is not None and rate is not None:
        return Steps(rate, rate * step / 1000, stated)
    text = "two of rate, acceptance length and step time are needed; the third follows from them"
    raise refused((name, text) for name in ("rate", "acceptance", "step_ms") if name not in stated)


def _within_ceiling(given: Given, steps: Steps) -> None:
    """No step keeps less than the target's own token, nor more than all drafts and that one."""
    problems: list[tuple[str, str]] = []
    drafts = given.number("draft_tokens")
    named = "acceptance" if "acceptance" in steps.given else "step_ms"
    for name, length in ((named, steps.acceptance), ("at", given.number("at"))):
        if length is None:
            continue
        said = f"{about(length, 4)} tokens a step"
        if length < 1:
            problems.append((name, f"{said}: a step keeps at least the target's own token, so 1 is the least"))
        if drafts is not None and length > drafts + 1:
            most = plain(drafts + 1)
            problems.append((name, f"{said}: with {plain(drafts)} draft tokens a step keeps {most} at most"))
    if problems:
        raise refused(problems)


def _said(given: Given, name: str, steps: Steps) -> str:
    """The rate or the acceptance: as typed where it was, else as it follows."""
    typed = given.number(name)
    return plain(typed) if typed is not None else about(steps.rate if name == "rate" else steps.acceptance, 5)


def _verdict(given: Given, steps: Steps) -> str:
    off, other = given.number("off_rate"), given.number("at")
    if off is None:
        if other is None:
            return f"A step takes {about(steps.step_ms)} ms and keeps {_said(given, 'acceptance', steps)} tokens."
        there = about(rate_at(steps.rate, steps.acceptance, other))
        return f"At {plain(other)} tokens a step the same steps give about {there} tok/s."
    even = break_even_length(off, steps.rate, steps.acceptance)
    length, said = (steps.acceptance, _said(given, "acceptance", steps)) if other is None else (other, plain(other))
    times = length / even
    head = f"Speculation breaks even at {about(even)} tokens a step"
    if abs(times - 1) <= MARGIN:
        return f"{head}, which is where {said} stands: it neither gains nor loses."
    word = "faster" if times > 1 else "slower"
    return f"{head}; at {said} the stream runs at {about(times)} times its rate without it: {word}."


def _figures(given: Given, steps: Steps) -> Iterator[Figure]:
    rate, length = steps.rate, steps.acceptance
    said_rate, said_length = _said(given, "rate", steps), _said(given, "acceptance", steps)
    said_step = about(steps.step_ms, 4)
    if "rate" not in steps.given:
        text = f"{said_length} tokens / {plain(given.numbers['step_ms'])} ms x 1,000"
        yield figure("rate", "Rate with speculation", rate, "tok/s", text)
    if "acceptance" not in steps.given:
        text = f"{said_rate} tok/s x {plain(given.numbers['step_ms'])} ms / 1,000"
        yield figure("acceptance", "Acceptance length", length, "tokens/step", text)
    text = f"{said_length} tokens / {said_rate} tok/s x 1,000"
    yield figure("step_ms", "Step time", steps.step_ms, "ms", text)
    text = f"{said_rate} tok/s / {said_length} tokens"
    yield figure("steps_per_second", "Steps", steps_per_second(rate, length), "steps/s", text)
    yield from _against_off(given, steps, said_step)
    yield from _elsewhere(given, steps, said_step)
    if drafts := given.number("draft_tokens"):
        most = rate_at(rate, length, drafts + 1)
        text = f"({plain(drafts)} drafts + 1) tokens / {said_step} ms x 1,000"
        yield figure("rate_at_ceiling", "Rate if every draft were accepted", most, "tok/s", text)


def _against_off(given: Given, steps: Steps, said_step: str) -> Iterator[Figure]:
    off = given.number("off_rate")
    if off is None:
        return
    even = break_even_length(off, steps.rate, steps.acceptance)
    text = f"{said_step} ms / (1,000 / {plain(off)} tok/s)"
    yield figure("break_even", "Break-even: step time with / without", even, "tokens/step", text)
    text = f"{_said(given, 'rate', steps)} tok/s / {plain(off)} tok/s"
    yield figure("speedup", "With speculation / without", steps.rate / off, "x", text)


def _elsewhere(given: Given, steps: Steps, said_step: str) -> Iterator[Figure]:
    other, off = given.number("at"), given.number("off_rate")
    if other is None:
        return
    there = rate_at(steps.rate, steps.acceptance, other)
    text = f"{plain(other)} tokens / {said_step} ms x 1,000"
    yield figure("rate_at", f"Rate at {plain(other)} tokens a step", there, "tok/s", text)
    if off is not None:
        text = f"{about(there, 4)} tok/s / {plain(off)} tok/s"
        yield figure("speedup_at", f"With speculation at {plain(other)} / without", there / off, "x", text)


def _warnings(given: Given, steps: Steps) -> Iterator[str]:
    kind = given.words.get("kind", "")
    if kind in FORCED:
        yield (
            f"The acceptance was {kind}, not measured: {_said(given, 'rate', steps)} tok/s belongs to no real text. "
            "Only the step time carries over; put the acceptance of your own traffic in “Another acceptance”."
        )
    step = given.number("step_ms")
    if len(steps.given) == 3 and step is not None and abs(step / steps.step_ms - 1) > DISAGREE:
        yield (
            f"The three numbers disagree: {plain(steps.acceptance)} tokens at {plain(steps.rate)} tok/s is a step of "
            f"{about(steps.step_ms, 4)} ms, not {plain(step)}. Rate and acceptance were used; the acceptance may be of "
            "another run, or counted another way."
        )


def _counted(given: Given) -> str:
    axis = AXES[AXIS[given.words["counted"]]]
    return f"Acceptance is the {axis.name.split(' (')[0]}: {axis.definition.split('. ')[0].rstrip('.')}."


def _card(typed: Mapping[str, str], given: Given, steps: Steps, claim: str) -> str:
    """A repeat of the claim where the numbers come from one; else a card with these numbers."""
    if claim:
        return f"/cards/new?{urlencode({'claim': claim})}"
    kind = given.words.get("kind", "")
    filled = {
        "speculation.draft_tokens": typed.get("draft_tokens", "").strip(),
        "speculation.acceptance": kind,
        "speculation.accept_length": f"{steps.acceptance:f}" if "acceptance" in steps.given else "",
        "metric.axis": "decode_rate",
        "result.value": f"{steps.rate:f}" if "rate" in steps.given else "",
        "result.unit": "tok/s" if "rate" in steps.given else "",
    }
    return f"/cards/new?{urlencode({name: value for name, value in filled.items() if value})}"

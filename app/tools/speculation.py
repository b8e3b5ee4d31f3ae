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
from app.compare.speculation import break_even_length, cycle_ms, rate_at, steps_per_second
from app.language import N_, _
from app.tools.asked import Field, read, refused
from app.tools.numbers import about, figure, plain
from app.tools.schema import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.tools.asked import Given
    from app.tools.schema import Figure

COUNTED = (("vllm", N_("as vLLM counts it")), ("sglang", N_("as SGLang counts it")))
KINDS = (
    ("", N_("not stated")),
    ("measured", N_("measured on real text")),
    ("simulated", N_("simulated by the engine")),
    ("synthetic", N_("synthetic: every draft accepted, or a fixed length")),
)
AXIS = {"vllm": "acceptance_length_vllm", "sglang": "acceptance_length_sglang"}
FORCED = ("simulated", "synthetic")
DISAGREE = Decimal("0.01")  # of the step time; three numbers that were rounded for print agree better
MARGIN = Decimal("0.005")  # nearer to its break-even than this, speculation neither gains nor loses

FIELDS = (
    Field(
        "counted",
        N_("Acceptance is counted"),
        "choice",
        N_("Two axes: vLLM leaves out steps without a draft, SGLang counts every verify step."),
        choices=COUNTED,
        needed=True,
        group=N_("With speculation"),
    ),
    Field(
        "rate",
        N_("Rate"),
        "number",
        N_("Of one stream, with speculation on."),
        "853.49",
        "tok/s",
        group=N_("With speculation"),
    ),
    Field(
        "acceptance",
        N_("Acceptance length"),
        "number",
        N_("Tokens kept in a step, the target's own among them."),
        "5.520",
        "tokens/step",
        group=N_("With speculation"),
    ),
    Field(
        "step_ms",
        N_("Step time"),
        "number",
        N_("One draft and verify step. Any two of rate, acceptance and step time give the third."),
        "6.47",
        "ms",
        group=N_("With speculation"),
    ),
    Field(
        "kind",
        N_("That acceptance was"),
        "choice",
        N_("A forced length belongs to no text that anybody asked for."),
        choices=KINDS,
        group=N_("With speculation"),
    ),
    Field(
        "off_rate",
        N_("Rate without speculation"),
        "number",
        N_("The same build and hardware with speculation off. Gives the break-even."),
        "223.50",
        "tok/s",
        group=N_("Set against"),
    ),
    Field(
        "at",
        N_("Another acceptance"),
        "number",
        N_("What your own traffic gets, say. Gives the rate there."),
        "3.17",
        "tokens/step",
        group=N_("Set against"),
    ),
    Field(
        "draft_tokens",
        N_("Draft tokens"),
        "count",
        N_("Drafted in a step. No acceptance can be above draft tokens + 1."),
        "5",
        group=N_("Set against"),
    ),
)
ASSUMES = (
    N_(
        "Derived; assumes constant step time: a step costs the same whatever it keeps. At larger batches, with "
        "adaptive draft lengths or an early exit of the drafter it does not."
    ),
    N_("One stream. Under load the verify step competes with other requests' tokens, and the break-even rises."),
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
        assumes=(_counted(given), *map(_, ASSUMES)),
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
    text = _("two of rate, acceptance length and step time are needed; the third follows from them")
    raise refused((name, text) for name in ("rate", "acceptance", "step_ms") if name not in stated)


def _within_ceiling(given: Given, steps: Steps) -> None:
    """No step keeps less than the target's own token, nor more than all drafts and that one."""
    problems: list[tuple[str, str]] = []
    drafts = given.number("draft_tokens")
    named = "acceptance" if "acceptance" in steps.given else "step_ms"
    for name, length in ((named, steps.acceptance), ("at", given.number("at"))):
        if length is None:
            continue
        said = _("{length} tokens a step").format(length=about(length, 4))
        if length < 1:
            problems.append(
                (name, _("{said}: a step keeps at least the target's own token, so 1 is the least").format(said=said))
            )
        if drafts is not None and length > drafts + 1:
            most = plain(drafts + 1)
            problems.append(
                (
                    name,
                    _("{said}: with {drafts} draft tokens a step keeps {most} at most").format(
                        said=said, drafts=plain(drafts), most=most
                    ),
                )
            )
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
            return _("A step takes {step_ms} ms and keeps {given} tokens.").format(
                step_ms=about(steps.step_ms), given=_said(given, "acceptance", steps)
            )
        there = about(rate_at(steps.rate, steps.acceptance, other))
        return _("At {other} tokens a step the same steps give about {there} tok/s.").format(
            other=plain(other), there=there
        )
    even = break_even_length(off, steps.rate, steps.acceptance)
    length, said = (steps.acceptance, _said(given, "acceptance", steps)) if other is None else (other, plain(other))
    times = length / even
    head = _("Speculation breaks even at {even} tokens a step").format(even=about(even))
    if abs(times - 1) <= MARGIN:
        return _("{head}, which is where {said} stands: it neither gains nor loses.").format(head=head, said=said)
    word = _("faster") if times > 1 else _("slower")
    return _("{head}; at {said} the stream runs at {times} times its rate without it: {word}.").format(
        head=head, said=said, times=about(times), word=word
    )


def _figures(given: Given, steps: Steps) -> Iterator[Figure]:
    rate, length = steps.rate, steps.acceptance
    said_rate, said_length = _said(given, "rate", steps), _said(given, "acceptance", steps)
    said_step = about(steps.step_ms, 4)
    if "rate" not in steps.given:
        text = _("{length} tokens / {step_ms} ms x 1,000").format(
            length=said_length, step_ms=plain(given.numbers["step_ms"])
        )
        yield figure("rate", _("Rate with speculation"), rate, "tok/s", text)
    if "acceptance" not in steps.given:
        text = _("{rate} tok/s x {step_ms} ms / 1,000").format(rate=said_rate, step_ms=plain(given.numbers["step_ms"]))
        yield figure("acceptance", _("Acceptance length"), length, "tokens/step", text)
    text = _("{length} tokens / {rate} tok/s x 1,000").format(length=said_length, rate=said_rate)
    yield figure("step_ms", _("Step time"), steps.step_ms, "ms", text)
    text = _("{rate} tok/s / {length} tokens").format(rate=said_rate, length=said_length)
    yield figure("steps_per_second", _("Steps"), steps_per_second(rate, length), "steps/s", text)
    yield from _against_off(given, steps, said_step)
    yield from _elsewhere(given, steps, said_step)
    if drafts := given.number("draft_tokens"):
        most = rate_at(rate, length, drafts + 1)
        text = _("({drafts} drafts + 1) tokens / {step} ms x 1,000").format(drafts=plain(drafts), step=said_step)
        yield figure("rate_at_ceiling", _("Rate if every draft were accepted"), most, "tok/s", text)


def _against_off(given: Given, steps: Steps, said_step: str) -> Iterator[Figure]:
    off = given.number("off_rate")
    if off is None:
        return
    even = break_even_length(off, steps.rate, steps.acceptance)
    text = _("{step} ms / (1,000 / {off} tok/s)").format(step=said_step, off=plain(off))
    yield figure("break_even", _("Break-even: step time with / without"), even, "tokens/step", text)
    text = _("{given} tok/s / {off} tok/s").format(given=_said(given, "rate", steps), off=plain(off))
    yield figure("speedup", _("With speculation / without"), steps.rate / off, "x", text)


def _elsewhere(given: Given, steps: Steps, said_step: str) -> Iterator[Figure]:
    other, off = given.number("at"), given.number("off_rate")
    if other is None:
        return
    there = rate_at(steps.rate, steps.acceptance, other)
    text = _("{other} tokens / {step} ms x 1,000").format(other=plain(other), step=said_step)
    yield figure("rate_at", _("Rate at {other} tokens a step").format(other=plain(other)), there, "tok/s", text)
    if off is not None:
        text = _("{there} tok/s / {off} tok/s").format(there=about(there, 4), off=plain(off))
        yield figure(
            "speedup_at", _("With speculation at {other} / without").format(other=plain(other)), there / off, "x", text
        )


def _warnings(given: Given, steps: Steps) -> Iterator[str]:
    kind = given.words.get("kind", "")
    if kind in FORCED:
        yield (
            _(
                "The acceptance was {kind}, not measured: {given} tok/s belongs to no real text. Only the "
                "step time carries over; put the acceptance of your own traffic in “Another acceptance”."
            ).format(kind=_(kind), given=_said(given, "rate", steps))
        )
    step = given.number("step_ms")
    if len(steps.given) == 3 and step is not None and abs(step / steps.step_ms - 1) > DISAGREE:
        yield (
            _(
                "The three numbers disagree: {acceptance} tokens at {rate} tok/s is a step of {step_ms} ms, "
                "not {step}. Rate and acceptance were used; the acceptance may be of another run, or counted "
                "another way."
            ).format(
                acceptance=plain(steps.acceptance),
                rate=plain(steps.rate),
                step_ms=about(steps.step_ms, 4),
                step=plain(step),
            )
        )


def _counted(given: Given) -> str:
    axis = AXES[AXIS[given.words["counted"]]]
    name, definition = _(axis.name).split(" (")[0], _(axis.definition).split(". ")[0].rstrip(".")
    return _("Acceptance is the {name}: {definition}.").format(name=name, definition=definition)


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

"""A tool's question and its answer -> the page. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from app.claims.wording import said_again
from app.claims.words import axis_name
from app.compare.words import capital, significant
from app.language import N_, _
from app.tools.numbers import plain
from app.tools.schema import WorkloadAnswer
from app.web.contexts import Choice, Link, Shell
from app.web.near_table import near_table
from app.web.state import address
from app.web.tool_contexts import (
    AnswerPart,
    FigureLine,
    PresetGroup,
    PresetLink,
    ToolField,
    ToolGroup,
    ToolPage,
    ToolsPage,
    ToolSummary,
    WhyLine,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.claims.schema import ClaimRow
    from app.tools.asked import Field
    from app.tools.presets import Preset
    from app.tools.schema import Answer, Figure, Tool

HEADINGS: dict[Tool, str] = {
    "workload": N_("Workload: which number decides for you"),
    "capacity": N_("Capacity: how many sequences fit"),
    "speculation": N_("Speculation: when it pays"),
}
SHORT: dict[Tool, str] = {"workload": N_("Workload"), "capacity": N_("Capacity"), "speculation": N_("Speculation")}
ABOUTS: dict[Tool, str] = {
    "workload": N_(
        "Put in the medians of your own requests. The answer says which axis decides for them, why in "
        "numbers, and which claims were measured near that shape."
    ),
    "capacity": N_(
        "Memory of a GPU, what the engine takes of it, and the KV cache of a token give the sequences "
        "that fit at once. GB is 10⁹ bytes, GiB 2³⁰: every size says which."
    ),
    "speculation": N_(
        "A speculative stream gains its acceptance length in every step. From one rate follow the step "
        "time, the acceptance at which speculation breaks even, and the rate at any other acceptance."
    ),
}
# What stands first and large, the first of these that there is.
LEADS: dict[Tool, tuple[str, ...]] = {
    "workload": ("computed_per_output",),
    "capacity": ("sequences_per_gpu", "sequences", "kv_room_gib"),
    "speculation": ("break_even", "rate_at", "step_ms"),
}
UNITS = (N_("tokens"), N_("turns"), N_("bytes"), N_("sequences"), N_("sequences/GPU"), N_("tokens/step"), N_("steps/s"))
MODES = {
    "count": "numeric",
    "number": "decimal",
    "percent": "decimal",
    "share": "decimal",
    "size": "text",
    "choice": "",
}


@dataclass(frozen=True)
class Origin:
    """The claim whose numbers fill the form: `note` says what else to know of them, or why there are none."""

    id: str
    text: str
    note: str


@dataclass(frozen=True)
class Asked:
    """What was typed into a tool, and what came of it: an answer, problems by field, or what is still needed."""

    tool: Tool
    fields: Sequence[Field]
    typed: Mapping[str, str]
    answer: Answer | None = None
    problems: Sequence[tuple[str, str]] = ()
    waiting: str = ""
    example: Preset | None = None
    presets: Sequence[Preset] = ()
    origin: Origin | None = None
    own: Mapping[str, str] = field(default_factory=dict)  # what the address itself holds, without a claim's numbers
    rows: Mapping[str, ClaimRow] = field(default_factory=dict)  # the near claims that are shown

    @property
    def address(self) -> str:
        return f"/tools/{self.tool}"

    def pairs(self) -> list[tuple[str, str]]:
        """The state as parameters, in one fixed order."""
        found = [("claim", self.origin.id)] if self.origin else []
        return [*found, *((item.name, text) for item in self.fields if (text := self.own.get(item.name, "")))]


def canonical(asked: Asked) -> str:
    """The address of just this question, without what is empty."""
    return address(asked.address, asked.pairs())


def tool_page(asked: Asked) -> ToolPage:
    heading, origin = _(HEADINGS[asked.tool]), asked.origin
    named = [(item.name, text) for item in asked.fields if (text := asked.typed.get(item.name, ""))]
    told = asked.answer.verdict if asked.answer and not asked.example else ""
    return ToolPage(
        shell=Shell(
            _("Error: {heading}").format(heading=heading) if asked.problems else heading,
            told or _(ABOUTS[asked.tool]),
            "/tools",
        ),
        heading=heading,
        about=_(ABOUTS[asked.tool]),
        address=asked.address,
        others=tuple(Link(_(text), f"/tools/{name}") for name, text in SHORT.items() if name != asked.tool),
        origin=Link(origin.text, f"/claims/{origin.id}") if origin and origin.text else None,
        origin_id=origin.id if origin else "",
        origin_note=origin.note if origin else "",
        plain_url=address(asked.address, named),
        presets=_presets(asked),
        groups=_groups(asked),
        answer=answer_part(asked),
    )


def answer_part(asked: Asked) -> AnswerPart:
    answer, labels = asked.answer, {item.name: _(item.label) for item in asked.fields}
    faults = dict(asked.problems)
    wrong = [Link(_with_label(labels.get(name, ""), text), f"#t-{name}") for name, text in asked.problems]
    lead = _lead(answer) if answer else None
    return AnswerPart(
        example=_(asked.example.said) if asked.example and answer else "",
        use_url=_preset_url(asked, asked.example) if asked.example else "",
        waiting=asked.waiting,
        wrong=tuple(wrong),
        faults=tuple((item.name, faults.get(item.name, "")) for item in asked.fields),
        lead=_figure(lead) if lead else None,
        verdict=answer.verdict if answer else "",
        figures=tuple(map(_figure, answer.figures)) if answer else (),
        warnings=answer.warnings if answer else (),
        assumes=answer.assumes if answer else (),
        why=_why(answer) if answer else (),
        near=near_table(answer, asked.rows) if isinstance(answer, WorkloadAnswer) else None,
        own_url="" if asked.example else canonical(asked),
        json_url="" if answer is None or asked.example else address(f"/api/v1{asked.address}", asked.pairs()),
        card_url="" if answer is None or asked.example else answer.card,
        onward=_onward(asked),
    )


def _onward(asked: Asked) -> Link | None:
    """From a workload to how many of its contexts fit."""
    if asked.tool != "workload" or asked.answer is None:
        return None
    whole = sum(Decimal(asked.answer.given[name]) for name in ("input_tokens", "output_tokens"))
    return Link(_("How many such contexts fit on a GPU"), address("/tools/capacity", [("context", f"{whole:.0f}")]))


def tools_page(examples: Mapping[Tool, tuple[str, str]]) -> ToolsPage:
    """`examples`: name and verdict of each tool's worked example."""
    about = _("Three sums that people do before they believe a number: of a workload, of memory, and of speculation.")
    return ToolsPage(
        shell=Shell(_("Tools"), about, "/tools"),
        tools=tuple(
            ToolSummary(_(HEADINGS[name]), f"/tools/{name}", _(ABOUTS[name]), *examples.get(name, ("", "")))
            for name in HEADINGS
        ),
    )


def _with_label(label: str, text: str) -> str:
    return text if not label or text.startswith(label) else f"{label}: {text}"


def _groups(asked: Asked) -> tuple[ToolGroup, ...]:
    faults = dict(asked.problems)
    headings = list(dict.fromkeys(item.group for item in asked.fields))
    return tuple(
        ToolGroup(_(heading), tuple(_input(item, asked, faults) for item in asked.fields if item.group == heading))
        for heading in headings
    )


def _input(item: Field, asked: Asked, faults: Mapping[str, str]) -> ToolField:
    value = asked.typed.get(item.name, "")
    known = {option for option, _ in item.choices}
    choices = [*item.choices] if "" in known or not item.choices else [("", _("choose one")), *item.choices]
    if value and item.choices and value not in known:
        choices.append((value, value[:60]))  # what was given stays, whatever it is
    return ToolField(
        name=item.name,
        label=_(item.label),
        help=_(item.help),
        example=item.example,
        unit=_(item.unit),
        needed=item.needed,
        mode=MODES[item.kind],
        value=value,
        options=tuple(Choice("", item.name, option, _(label), option == value) for option, label in choices),
        fault=faults.get(item.name, ""),
    )


def _presets(asked: Asked) -> tuple[PresetGroup, ...]:
    headings = list(dict.fromkeys(preset.group for preset in asked.presets))
    return tuple(
        PresetGroup(
            _(heading),
            tuple(
                PresetLink(_named(preset), _preset_url(asked, preset), _(preset.said), preset.url or _claim_url(preset))
                for preset in asked.presets
                if preset.group == heading
            ),
        )
        for heading in headings
    )


def _named(preset: Preset) -> str:
    """A preset of a claim is called by its number."""
    return said_again(preset.name) if preset.claim else _(preset.name)


def _claim_url(preset: Preset) -> str:
    return f"/claims/{preset.claim}" if preset.claim else ""


def _preset_url(asked: Asked, preset: Preset) -> str:
    """The form with a preset's values over what is typed; a claim's numbers come without the others."""
    if preset.claim:
        return address(asked.address, [("claim", preset.claim), *preset.values.items()])
    merged = {**asked.typed, **preset.values}
    return address(asked.address, [(item.name, text) for item in asked.fields if (text := merged.get(item.name, ""))])


def _lead(answer: Answer) -> Figure | None:
    by_key = {item.key: item for item in answer.figures}
    return next((by_key[key] for key in LEADS[answer.tool] if key in by_key), None)


def _figure(item: Figure) -> FigureLine:
    whole = item.value == item.value.to_integral_value()
    shown = plain(item.value) if whole else significant(item.value, 4)
    return FigureLine(item.name, shown.replace("-", "−"), _(item.unit), item.formula)


def _why(answer: Answer) -> tuple[WhyLine, ...]:
    decides = answer.decides if isinstance(answer, WorkloadAnswer) else ()
    return tuple(WhyLine(capital(axis_name(item.axis)), f"/axes#{item.axis}", item.why) for item in decides)

"""A tool's question and its answer -> the page. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.compare.words import capital, plain_axis, significant
from app.tools.numbers import plain
from app.tools.shapes import NO_HITS
from app.web.contexts import Choice, Link, Shell
from app.web.state import address
from app.web.tool_contexts import (
    AnswerPart,
    FigureLine,
    NearCell,
    NearLine,
    NearTable,
    PresetGroup,
    PresetLink,
    ToolField,
    ToolGroup,
    ToolPage,
    ToolsPage,
    ToolSummary,
    WhyLine,
)
from app.web.wording import axis_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.tools.asked import Field
    from app.tools.presets import Preset
    from app.tools.schema import Answer, Dimension, Figure, NearClaim, Stated, Tool, WorkloadAnswer

SHOWN = 12  # near claims as rows; as many more as links
REST = 60
HEADINGS: dict[Tool, str] = {
    "workload": "Workload: which number decides for you",
    "capacity": "Capacity: how many sequences fit",
    "speculation": "Speculation: when it pays",
}
SHORT: dict[Tool, str] = {"workload": "Workload", "capacity": "Capacity", "speculation": "Speculation"}
ABOUTS: dict[Tool, str] = {
    "workload": "Put in the medians of your own requests. The answer says which axis decides for them, why in numbers, "
    "and which claims were measured near that shape.",
    "capacity": "Memory of a GPU, what the engine takes of it, and the KV cache of a token give the sequences that fit "
    "at once. GB is 10⁹ bytes, GiB 2³⁰: every size says which.",
    "speculation": "A speculative stream gains its acceptance length in every step. From one rate follow the step "
    "time, the acceptance at which speculation breaks even, and the rate at any other acceptance.",
}
# What stands first and large, the first of these that there is.
LEADS: dict[Tool, tuple[str, ...]] = {
    "workload": ("computed_per_output",),
    "capacity": ("sequences_per_gpu", "sequences", "kv_room_gib"),
    "speculation": ("break_even", "rate_at", "step_ms"),
}
MODES = {
    "count": "numeric",
    "number": "decimal",
    "percent": "decimal",
    "share": "decimal",
    "size": "text",
    "choice": "",
}
DIMENSIONS: dict[Dimension, str] = {
    "input_tokens": "Input",
    "output_tokens": "Output",
    "prefix_hit_rate": "Prefix cache",
    "turns": "Turns",
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
    answer: Answer | WorkloadAnswer | None = None
    problems: Sequence[tuple[str, str]] = ()
    waiting: str = ""
    example: Preset | None = None
    presets: Sequence[Preset] = ()
    origin: Origin | None = None
    own: Mapping[str, str] = field(default_factory=dict)  # what the address itself holds, without a claim's numbers

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
    heading, origin = HEADINGS[asked.tool], asked.origin
    named = [(item.name, text) for item in asked.fields if (text := asked.typed.get(item.name, ""))]
    return ToolPage(
        shell=Shell(f"Error: {heading}" if asked.problems else heading, ABOUTS[asked.tool], "/tools"),
        heading=heading,
        about=ABOUTS[asked.tool],
        address=asked.address,
        others=tuple(Link(text, f"/tools/{name}") for name, text in SHORT.items() if name != asked.tool),
        origin=Link(origin.text, f"/claims/{origin.id}") if origin and origin.text else None,
        origin_id=origin.id if origin else "",
        origin_note=origin.note if origin else "",
        plain_url=address(asked.address, named),
        presets=_presets(asked),
        groups=_groups(asked),
        answer=answer_part(asked),
    )


def answer_part(asked: Asked) -> AnswerPart:
    answer, labels = asked.answer, {item.name: item.label for item in asked.fields}
    faults = dict(asked.problems)
    wrong = [Link(_with_label(labels.get(name, ""), text), f"#t-{name}") for name, text in asked.problems]
    lead = _lead(answer) if answer else None
    return AnswerPart(
        example=asked.example.said if asked.example and answer else "",
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
        near=_near(answer) if answer else None,
        own_url="" if asked.example else canonical(asked),
        json_url="" if answer is None or asked.example else address(f"/api/v1{asked.address}", asked.pairs()),
        card_url="" if answer is None or asked.example else answer.card,
    )


def tools_page(examples: Mapping[Tool, tuple[str, str]]) -> ToolsPage:
    """`examples`: name and verdict of each tool's worked example."""
    about = "Three sums that people do before they believe a number: of a workload, of memory, and of speculation."
    return ToolsPage(
        shell=Shell("Tools", about, "/tools"),
        tools=tuple(
            ToolSummary(HEADINGS[name], f"/tools/{name}", ABOUTS[name], *examples.get(name, ("", "")))
            for name in HEADINGS
        ),
    )


def _with_label(label: str, text: str) -> str:
    return text if not label or text.startswith(label) else f"{label}: {text}"


def _groups(asked: Asked) -> tuple[ToolGroup, ...]:
    faults = dict(asked.problems)
    headings = list(dict.fromkeys(item.group for item in asked.fields))
    return tuple(
        ToolGroup(heading, tuple(_input(item, asked, faults) for item in asked.fields if item.group == heading))
        for heading in headings
    )


def _input(item: Field, asked: Asked, faults: Mapping[str, str]) -> ToolField:
    value = asked.typed.get(item.name, "")
    known = {option for option, _ in item.choices}
    choices = [*item.choices] if "" in known or not item.choices else [("", "choose one"), *item.choices]
    if value and item.choices and value not in known:
        choices.append((value, value[:60]))  # what was given stays, whatever it is
    return ToolField(
        name=item.name,
        label=item.label,
        help=item.help,
        example=item.example,
        unit=item.unit,
        needed=item.needed,
        mode=MODES[item.kind],
        value=value,
        options=tuple(Choice("", item.name, option, label, option == value) for option, label in choices),
        fault=faults.get(item.name, ""),
    )


def _presets(asked: Asked) -> tuple[PresetGroup, ...]:
    headings = list(dict.fromkeys(preset.group for preset in asked.presets))
    return tuple(
        PresetGroup(
            heading,
            tuple(
                PresetLink(preset.name, _preset_url(asked, preset), preset.said, preset.url or _claim_url(preset))
                for preset in asked.presets
                if preset.group == heading
            ),
        )
        for heading in headings
    )


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
    return FigureLine(item.name, shown.replace("-", "−"), item.unit, item.formula)


def _why(answer: Answer) -> tuple[WhyLine, ...]:
    decides = getattr(answer, "decides", ())
    return tuple(WhyLine(capital(axis_name(item.axis)), f"/axes#{item.axis}", item.why) for item in decides)


def _near(answer: Answer) -> NearTable | None:
    compared = getattr(answer, "compared", None)
    if compared is None:
        return None
    near: Sequence[NearClaim] = getattr(answer, "near", ())
    rest = near[SHOWN : SHOWN + REST]
    left = len(near) - SHOWN - len(rest)
    named = getattr(answer, "only_named", ())
    return NearTable(
        count=f"{_claims(compared.near)} of {compared.looked_at:,}",
        lines=tuple(map(_near_line, near[:SHOWN])),
        rest_count=f"{_claims(len(near) - SHOWN)} more near it" + (f", {len(rest)} of them listed" if left > 0 else ""),
        rest=tuple(
            Link(f"{item.headline}, {plain_axis(item.axis)}: {item.title}", f"/claims/{item.id}") for item in rest
        ),
        heaps=(
            f"{_claims(compared.further)} state a length that is more than twice or less than half of yours, or a hit "
            "rate more than 10 points away.",
            f"{_claims(compared.no_single_number)} state lengths as a range or a sweep, which is no single length.",
            f"{_claims(compared.nothing_stated)} state no workload. Nothing is guessed for them.",
            f"{_claims(compared.only_named)} only name a benchmark, without lengths:",
        ),
        named=tuple(Link(f"{item.name} ({item.claims})", address("/", [("q", item.name)])) for item in named),
    )


def _claims(count: int) -> str:
    return f"{count:,} {'claim' if count == 1 else 'claims'}"


def _near_line(item: NearClaim) -> NearLine:
    by_name = {stated.dimension: stated for stated in item.stated}
    return NearLine(
        url=f"/claims/{item.id}",
        number=item.headline,
        title=item.title,
        served=" · ".join(part for part in (item.engine, item.model) if part),
        axis=capital(plain_axis(item.axis)),
        decides=item.decides,
        cells=tuple(_near_cell(by_name[name]) for name in DIMENSIONS),
    )


def _near_cell(stated: Stated) -> NearCell:
    text = stated.text or ""
    if stated.dimension == "prefix_hit_rate" and text in NO_HITS:
        text = f"{text}: no hits"
    return NearCell(DIMENSIONS[stated.dimension], text, _beside(stated))


def _beside(stated: Stated) -> str:
    if stated.points is not None:
        return "as yours" if stated.points == 0 else f"{stated.points:+f} points".replace("-", "−")
    if stated.times is None:
        return ""
    return "as yours" if stated.times == 1 else f"{significant(stated.times, 2)} x yours"

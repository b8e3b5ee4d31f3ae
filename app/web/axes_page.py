"""The axis registry -> its page. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES, TOOLS, VERSIONING
from app.claims.words import axis_name
from app.language import N_, _
from app.protocol.english import counted
from app.web.axes_example import worked_example
from app.web.contexts import AxesPage, AxisPart, Fact, Link, Shell, ToolLine
from app.web.state import address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.axes import Axis, ToolName

DIRECTIONS = {
    "higher": N_("higher is better"),
    "lower": N_("lower is better"),
    "none": N_("neither: the number is not defined"),
}
MEANINGS = {"same": N_("the same"), "differs": N_("something else"), "absent": N_("no such number")}
ABOUT = N_("What a number can measure: the definition of every axis, and what seven load tools mean by its name.")


def axes_page(counts: Mapping[str, int]) -> AxesPage:
    """`counts`: how many claims stand on each axis."""
    return AxesPage(
        shell=Shell(_("Axes"), _(ABOUT), "/axes"),
        versioning=_(VERSIONING),
        tools=tuple(Fact(tool, version) for tool, version in TOOLS.items()),
        axes=tuple(_part(axis, counts.get(axis.key, 0)) for axis in AXES.values()),
        example=worked_example(),
        json_url="/api/v1/axes",
    )


def _part(axis: Axis, count: int) -> AxisPart:
    facts = (
        Fact(_("Unit"), ", ".join(axis.units)),
        Fact(_("Direction"), _(DIRECTIONS[axis.direction])),
        Fact(_("Numerator"), _(axis.numerator)),
        Fact(_("Denominator"), _(axis.denominator)),
        Fact(_("Window"), _(axis.window)),
        Fact(_("Tail"), _(axis.tail)),
        Fact(_("Source"), _(axis.source)),
    )
    return AxisPart(
        key=axis.key,
        name=_(axis.name),
        short=axis_name(axis.key),
        version=_("version {version}").format(version=axis.version),
        definition=_(axis.definition),
        formula=_(axis.formula),
        facts=facts,
        absent=_absent(axis.tools),
        tools=tuple(_line(tool) for tool in axis.tools if tool.meaning != "absent"),
        claims=Link(counted(count, "claim"), address("/", [("axis", axis.key)])),
    )


def _line(tool: ToolName) -> ToolLine:
    return ToolLine(tool.tool, tool.name, _(MEANINGS[tool.meaning]), _(tool.note))


def _absent(tools: tuple[ToolName, ...]) -> str:
    """The tools without such a number, in one sentence; the reason once where all share it."""
    without = [tool for tool in tools if tool.meaning == "absent"]
    notes = {tool.note for tool in without}
    if not without:
        return ""
    if len(without) == len(tools) and len(notes) == 1:
        return _("No load tool has it. {note}").format(note=_(notes.pop()))
    return _("No such number in {tools}.").format(tools=", ".join(tool.tool for tool in without))

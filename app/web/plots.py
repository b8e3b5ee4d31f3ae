"""Rows -> Plotly figures as plain dicts. Pure: no database, no request, no clock.

Colours are named by the stylesheet's variables ("var(--ink)"); static/js/plots.js sets in what they are in the
reader's light or dark page and breaks the caption into lines. Every text that comes from a source is escaped here,
because Plotly reads a small HTML; its <b> sets inline styles, which our policy forbids, so weight is a font's matter.
Value axes begin at zero: a bar's length is its value.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape as html_escape
from typing import TYPE_CHECKING, Any, NamedTuple

from app.language import N_, _, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Figure = dict[str, Any]


class Fill(NamedTuple):
    """A bar's pattern and colour; `size` of the pattern in px. No engine and no verdict has one of these colours."""

    shape: str
    colour: str
    size: int = 7


# The pattern alone tells the kinds of a ladder's steps apart, and a table's columns.
STEP_FILLS = {
    N_("first build"): Fill("", "var(--bar-1)"),
    N_("layout fix"): Fill("/", "var(--bar-4)"),
    N_("fusion"): Fill(".", "var(--bar-2)"),
    N_("tiling"): Fill("+", "var(--bar-5)"),
    N_("memory"): Fill("-", "var(--bar-6)"),
    N_("overlap"): Fill("|", "var(--bar-4)"),
    N_("defaults"): Fill("x", "var(--bar-5)"),
    N_("speculation"): Fill("\\", "var(--bar-3)"),
    N_("parallelism"): Fill("x", "var(--bar-1)", size=14),
}
COLUMN_FILLS = (
    Fill("", "var(--bar-1)"),
    Fill("/", "var(--bar-4)"),
    Fill(".", "var(--bar-2)"),
    Fill("x", "var(--bar-3)"),
    Fill("-", "var(--bar-5)"),
    Fill("|", "var(--bar-6)"),
)
PAPER, INK = "var(--paper)", "var(--ink)"
BREAK_ROOM = 2.4  # bars that the gap of a break is high
BAR_PX = 30
LABEL_CHARS = 34


@dataclass(frozen=True)
class Bar:
    """One bar: `length` in the axis's unit, None where no number is stated; `printed` is what stands at its end."""

    label: str
    kind: str
    length: float | None
    printed: str
    hollow: bool = False  # forced by a simulation, not measured


@dataclass(frozen=True)
class Break:
    """Between the bars before `at` and the rest nothing may be divided."""

    at: int
    text: str


def ladder_figure(
    title: str, unit: str, bars: Sequence[Bar], breaks: Sequence[Break], caption: Sequence[str]
) -> Figure:
    """Steps from top to bottom. A break is a gap with its label across the whole width; no line joins the bars."""
    places = [float(place) + BREAK_ROOM * sum(1 for item in breaks if item.at <= place) for place in range(len(bars))]
    traces = [{**trace, "width": 0.72} for trace in _ladder_traces(bars, places)]
    shapes, notes = _gaps(breaks, places)
    longest = max((bar.length or 0.0 for bar in bars), default=0.0)
    height = round((places[-1] + 1) * BAR_PX) if places else BAR_PX
    layout = {
        **frame(title, height),
        "barmode": "overlay",
        "shapes": shapes,
        "annotations": notes,
        "xaxis": {**value_axis(unit), "range": [0, longest]},
        "yaxis": {
            "range": [(places[-1] if places else 0) + 0.6, -0.6],
            "tickvals": places,
            "ticktext": [_wrapped(f"{number}. {bar.label}") for number, bar in enumerate(bars, 1)],
            "ticks": "",
            "showgrid": False,
            "zeroline": False,
        },
    }
    return {"data": traces, "layout": layout, "caption": [escape(text) for text in caption]}


def _ladder_traces(bars: Sequence[Bar], places: Sequence[float]) -> Iterator[Figure]:
    """One trace for the measured and one for the hollow bars of each kind, under one name in the legend."""
    placed = list(zip(places, bars, strict=True))
    for kind, fill in STEP_FILLS.items():
        of_kind = [(place, bar) for place, bar in placed if bar.kind == kind]
        yield from _traces(_(kind), fill, of_kind, legend=True)


def _traces(name: str, fill: Fill, bars: Sequence[tuple[float | str, Bar]], *, legend: bool) -> Iterator[Figure]:
    for hollow in (False, True):
        alike = [(place, bar) for place, bar in bars if bar.hollow is hollow]
        if alike:
            yield {**_trace(name, fill, alike, hollow=hollow), "showlegend": legend}
            legend = False


def _trace(name: str, fill: Fill, bars: Sequence[tuple[float | str, Bar]], *, hollow: bool) -> Figure:
    """Bars of one fill; hollow ones have the paper's colour, with pattern and edge in their own."""
    colour = fill.colour
    return {
        "type": "bar",
        "orientation": "h",
        "name": escape(name),
        "legendgroup": escape(name),
        "y": [place for place, _ in bars],
        "x": [bar.length for _, bar in bars],
        "text": [escape(bar.printed) for _, bar in bars],
        "textposition": "outside",
        "textangle": 0,
        "cliponaxis": False,
        "textfont": {"color": INK},
        "marker": {
            "color": PAPER if hollow else colour,
            "line": {"color": colour, "width": 1.5},
            "pattern": {
                "shape": fill.shape,
                "fillmode": "overlay",
                "fgcolor": colour if hollow else PAPER,
                "fgopacity": 0.7,
                "size": fill.size,
                "solidity": 0.25,
            },
        },
    }


def _gaps(breaks: Sequence[Break], places: Sequence[float]) -> tuple[list[Figure], list[Figure]]:
    shapes, notes = [], []
    for item in breaks:
        below, above = places[item.at - 1] + 0.6, places[item.at] - 0.6
        frame = {"xref": "paper", "yref": "y", "line": {"color": "var(--gap-ink)", "width": 1, "dash": "dash"}}
        shapes.append({**frame, "type": "rect", "x0": 0, "x1": 1, "y0": below, "y1": above, "fillcolor": "var(--gap)"})
        note = {
            "xref": "paper",
            "yref": "y",
            "x": 0.01,
            "y": (below + above) / 2,
            "xanchor": "left",
            "align": "left",
            "showarrow": False,
            "name": "break",
        }
        for text, weight, anchor in ((_("Break. Do not divide across it."), 700, "bottom"), (item.text, 400, "top")):
            font = {"color": "var(--gap-ink)", "weight": weight}
            notes.append({**note, "text": escape(text), "yanchor": anchor, "font": font})
    return shapes, notes


def grouped_figure(
    title: str, unit: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Bar]]], caption: Sequence[str]
) -> Figure:
    """Rows of bars side by side, one fill a column. Rows named by two words ("TP4 8K") make one panel for each second
    word, every panel on its own scale from zero, because times of short and long prompts share none."""
    panels = _panels(rows)
    traces: list[Figure] = []
    layout = {**frame(title, 0), "barmode": "group", "bargap": 0.24, "bargroupgap": 0.06, "annotations": []}
    heights = [len(lines) * len(columns) + 1.6 for _, lines in panels]
    top = 1.0
    for number, (name, lines) in enumerate(panels, 1):
        bottom = top - heights[number - 1] / sum(heights)
        suffix = "" if number == 1 else str(number)
        longest = max((bar.length or 0.0 for _, bars in lines for bar in bars), default=0.0)
        layout[f"xaxis{suffix}"] = {**value_axis(unit), "anchor": f"y{suffix}", "range": [0, longest]}
        layout[f"xaxis{suffix}"]["visible"] = len(panels) == 1
        layout[f"yaxis{suffix}"] = {
            "domain": [max(bottom, 0), top - 1.1 / sum(heights)],
            "anchor": f"x{suffix}",
            "autorange": "reversed",
            "categoryorder": "array",
            "categoryarray": [_wrapped(label) for label, _ in lines],
            "ticks": "",
            "showgrid": False,
        }
        layout["annotations"].append(_panel_name(name, top))
        traces += _panel_traces(columns, lines, suffix)
        top = bottom
    layout["height"] = round(sum(heights) * 20)
    told = [_("Each panel has its own scale from zero, in {unit}.").format(unit=unit)] if len(panels) > 1 else []
    return {"data": traces, "layout": layout, "caption": [escape(text) for text in (*told, *caption)]}


def _panels(rows: Sequence[tuple[str, Sequence[Bar]]]) -> list[tuple[str, list[tuple[str, Sequence[Bar]]]]]:
    if any(len(label.split()) != 2 for label, _ in rows):
        return [("", list(rows))]
    panels: dict[str, list[tuple[str, Sequence[Bar]]]] = {}
    for label, bars in rows:
        group, panel = label.split()
        panels.setdefault(panel, []).append((group, bars))
    return list(panels.items())


def _panel_name(name: str, top: float) -> Figure:
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": top, "xanchor": "left", "yanchor": "top"}
    return {**place, "text": escape(name) or " ", "font": {"weight": 700}, "showarrow": False}


def _panel_traces(columns: Sequence[str], lines: Sequence[tuple[str, Sequence[Bar]]], suffix: str) -> Iterator[Figure]:
    """A column's bars keep their place in the group whether they are hollow or not."""
    for place, column in enumerate(columns):
        bars: list[tuple[float | str, Bar]] = [(_wrapped(label), of_row[place]) for label, of_row in lines]
        for trace in _traces(column, COLUMN_FILLS[place % len(COLUMN_FILLS)], bars, legend=not suffix):
            yield {**trace, "offsetgroup": str(place), "xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}


def frame(title: str, height: int) -> Figure:
    """What every figure's layout begins with."""
    return {
        "title": {
            "text": escape(title),
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "font": {"size": 14, "weight": 700},
        },
        "height": height,  # of the bars; the script adds room for legend and caption
        "font": {"family": "var(--sans)", "size": 12, "color": INK},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": PAPER,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        "showlegend": True,
        "separators": spoken().point + spoken().group,
    }


def value_axis(unit: str) -> Figure:
    """An axis of numbers, which begins at zero."""
    return {
        "title": {"text": escape(unit)},
        "rangemode": "tozero",
        "gridcolor": "var(--line)",
        "linecolor": "var(--edge)",
        "zerolinecolor": "var(--edge)",
        "fixedrange": True,
    }


def escape(text: str) -> str:
    """Plotly decodes `&lt;` and its like, but shows a quotation mark's entity as it stands."""
    return html_escape(text, quote=False)


def _wrapped(text: str) -> str:
    return "<br>".join(escape(line) for line in textwrap.wrap(text, LABEL_CHARS)) or " "

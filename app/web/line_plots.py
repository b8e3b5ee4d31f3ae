"""Distributions, timelines and sweeps -> Plotly figures as plain dicts, in the way of plots.py. Pure.

What plots.py says of colours, escaping and captions holds here too. Lines differ by their dash, points by their shape;
no line joins points that were measured at different loads, since nothing was measured between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.web.plots import INK, Figure, escape, frame, value_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

HEIGHT = 260
LINES = (("solid", "var(--bar-1)"), ("dash", "var(--bar-2)"), ("dot", "var(--bar-3)"))
# Place of a point -> its shape and its words in the legend. Plotly draws an open shape in its fill colour.
PLACES = {
    "front": ("circle", "on the front: none is at least as good on both"),
    "dominated": ("circle-open", "another point is at least as good on both"),
}


@dataclass(frozen=True)
class Line:
    """A line of steps: each value holds until the next one."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Spot:
    """A measured load. `x` and `y` are None where its runs are no results: such a point has no place."""

    label: str
    place: str
    x: float | None
    y: float | None


def curve_figure(title: str, unit: str, lines: Sequence[Line], caption: Sequence[str]) -> Figure:
    """The share of values that are at most so large, in percent."""
    shares = {**value_axis("share of values, %"), "range": [0, 102]}
    begun = [Line(line.name, [*line.x[:1], *line.x], [0.0, *line.y]) for line in lines]
    axes = {"xaxis": _roomy(unit, [x for line in lines for x in line.x]), "yaxis": shares}
    return _figure(title, [_line(place, line) for place, line in enumerate(begun)], axes, caption)


def timeline_figure(title: str, running: Line, tokens: Line | None, caption: Sequence[str]) -> Figure:
    """Requests under way above, output tokens per second below, over one time axis."""
    drawn = [_line(0, running)]
    seconds = value_axis("seconds from the first request on")
    axes = {"xaxis": seconds, "yaxis": {**_roomy("requests", running.y), "domain": [0.54, 1] if tokens else [0, 1]}}
    if tokens:
        drawn.append({**_line(1, tokens), "yaxis": "y2"})
        axes["yaxis2"] = {**_roomy("tok/s", tokens.y), "domain": [0, 0.46], "anchor": "x"}
        seconds["anchor"] = "y2"  # below both
    return _figure(title, drawn, axes, caption)


def sweep_figure(title: str, x_unit: str, y_unit: str, spots: Sequence[Spot], caption: Sequence[str]) -> Figure:
    """Each measured load where it stands. Those that are no results have no place, and are named in the corner."""
    drawn = []
    for place, (shape, words) in PLACES.items():
        alike = [spot for spot in spots if spot.place == place]
        if alike:
            drawn.append(_spots(words, shape, alike))
    lost = [spot for spot in spots if spot.x is None or spot.y is None]
    placed = [(spot.x, spot.y) for spot in spots if spot.x is not None and spot.y is not None]
    axes = {"xaxis": _roomy(x_unit, [x for x, _ in placed]), "yaxis": _roomy(y_unit, [y for _, y in placed])}
    made = _figure(title, drawn, axes, caption)
    made["layout"]["annotations"] = [_lost(number, spot) for number, spot in enumerate(lost)]
    return made


def _roomy(unit: str, values: Sequence[float]) -> Figure:
    """From zero to a little beyond the largest value, so that nothing is drawn on the edge."""
    return {**value_axis(unit), "range": [0, 1.12 * max(values, default=0.0) or 1.0]}


def _figure(title: str, drawn: Sequence[Figure], axes: dict[str, Figure], caption: Sequence[str]) -> Figure:
    shape = {**frame(title, HEIGHT), "annotations": [], **axes}
    return {"data": list(drawn), "layout": shape, "caption": [escape(text) for text in caption], "lines": True}


def _line(place: int, line: Line) -> Figure:
    dash, colour = LINES[place % len(LINES)]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(line.name),
        "x": list(line.x),
        "y": list(line.y),
        "line": {"shape": "hv", "dash": dash, "color": colour, "width": 1.5},
    }


def _spots(name: str, shape: str, spots: Sequence[Spot]) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": escape(name),
        "x": [spot.x for spot in spots],
        "y": [spot.y for spot in spots],
        "text": [escape(spot.label) for spot in spots],
        "textposition": "top center",
        "textfont": {"color": INK},
        "cliponaxis": False,
        "marker": {"symbol": shape, "size": 10, "color": "var(--bar-2)"},
    }


def _lost(number: int, spot: Spot) -> Figure:
    text = f"\N{MULTIPLICATION X} {spot.label}: no result"
    place = {"xref": "paper", "yref": "paper", "x": 1, "y": 1 - 0.09 * number, "xanchor": "right", "yanchor": "top"}
    return {**place, "text": escape(text), "showarrow": False, "font": {"color": "var(--v-no)"}}

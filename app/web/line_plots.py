"""Distributions, timelines and sweeps -> Plotly figures as plain dicts, in the way of plots.py. Pure.

What plots.py says of colours, escaping and captions holds here too. Lines differ by their dash, points by their shape;
no line joins points that were measured at different loads, since nothing was measured between them. A mark's place
is what it says, not its length, so an axis may be logarithmic where values lie far apart; its title says so.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.language import N_, _, number
from app.web.label_places import label_places
from app.web.plots import INK, PAPER, Figure, escape, frame, value_axis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEIGHT = 260
FAR_APART = 10  # largest over smallest value, from which on an axis of marks is logarithmic
FAR_TAIL = 50  # the same of a distribution
DASHES = ("solid", "5px,2px", "1px,2px", "9px,2px,1px,2px")  # close enough to show every step
# Place of a point -> its size and its words in the legend, alone and beside other series. Hollow means a simulated
# acceptance, in every chart.
PLACES = {
    "front": (12, N_("on the front: no other load is at least as good on both"), N_("on its front")),
    "dominated": (6, N_("small: another load is at least as good on both"), N_("small: beaten by a load of its own")),
}
# Engine -> shapes of its first and further series; colours are the engine's own, as on every page.
SHAPES = {
    "vllm": ("square", "diamond"),
    "sglang": ("circle", "pentagon"),
    "other": ("triangle-up", "triangle-down"),
}
LOST_SHOWN = 6


@dataclass(frozen=True)
class Line:
    """A line of steps: each value holds until the next one. `engine` is a key of SHAPES, "" where no engine is told
    from another; `marks` are its places that bear a label: text, x, y."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    engine: str = ""
    marks: Sequence[tuple[str, float, float]] = ()


@dataclass(frozen=True)
class Spot:
    """A measured load. `x` and `y` are None where its runs are no results: such a point has no place."""

    label: str
    place: str
    x: float | None
    y: float | None


@dataclass(frozen=True)
class Series:
    """The loads of one deployment; `hollow` where its speculation was accepted by a simulation."""

    name: str
    engine: str  # a key of SHAPES
    spots: Sequence[Spot]
    hollow: bool = False


def curve_figure(title: str, unit: str, lines: Sequence[Line], caption: Sequence[str]) -> Figure:
    """The share of values that are at most so large, in percent."""
    shares = {**value_axis("share of values, %"), "range": [0, 104], "tickvals": list(range(0, 101, 20))}
    values = [x for line in lines for x in line.x]
    begun = [Line(line.name, [*line.x[:1], *line.x], [0.0, *line.y], line.engine) for line in lines]
    room = 1.25 if any(line.marks for line in lines) else 1.12
    axes = {"xaxis": _axis(unit, values, FAR_TAIL, room), "yaxis": shares}
    several = len(lines) > 1  # the title names a single one
    drawn = [{**_line(place, line), "showlegend": several} for place, line in enumerate(begun)]
    return _figure(title, [*drawn, *(_marks(line) for line in lines if line.marks)], axes, caption)


def timeline_figure(title: str, running: Line, tokens: Line | None, caption: Sequence[str]) -> Figure:
    """Requests under way above, output tokens per second below, over one time axis. The axes name the lines."""
    drawn = [{**_line(0, running), "showlegend": False}]
    seconds = value_axis(_("seconds from the first request on"))
    above = {**_roomy(_("requests"), running.y, 1.12), "domain": [0.54, 1] if tokens else [0, 1]}
    axes = {"xaxis": seconds, "yaxis": above}
    if tokens:
        drawn.append({**_line(0, tokens), "yaxis": "y2", "showlegend": False})
        axes["yaxis2"] = {**_roomy("tok/s", tokens.y, 1.12), "domain": [0, 0.46], "anchor": "x"}
        seconds["anchor"] = "y2"  # below both
    return _figure(title, drawn, axes, caption)


def sweep_figure(title: str, x_unit: str, y_unit: str, series: Sequence[Series], caption: Sequence[str]) -> Figure:
    """Each measured load where it stands. Those that are no results have no place, and are named in the corner."""
    several = len(series) > 1
    drawn = []
    for one, shape in zip(series, _shapes(series), strict=True):
        drawn += list(_spots(one, shape, several))
    spots = [spot for one in series for spot in one.spots]
    placed = [(spot.x, spot.y) for spot in spots if spot.x is not None and spot.y is not None]
    axes = {
        "xaxis": _axis(x_unit, [x for x, _ in placed], FAR_APART, 1.12),
        "yaxis": _axis(y_unit, [y for _, y in placed], FAR_APART, 1.12),
    }
    _place_labels(drawn, axes)
    made = _figure(title, drawn, axes, caption)
    made["layout"]["annotations"] = list(_lost(series, several))
    return made


def _place_labels(drawn: Sequence[Figure], axes: dict[str, Figure]) -> None:
    """Give every mark's label a place where it meets no other."""
    marks = [mark for trace in drawn for mark in zip(trace["text"], trace["x"], trace["y"], strict=True)]
    log_x, log_y = (axes[name].get("type") == "log" for name in ("xaxis", "yaxis"))
    places = iter(label_places(marks, log_x=log_x, log_y=log_y))
    for trace in drawn:
        trace["textposition"] = [next(places) for _ in trace["text"]]


def _shapes(series: Sequence[Series]) -> Iterator[str]:
    """Each series its own shape, among those of its engine."""
    seen: Counter[str] = Counter()
    for one in series:
        own = SHAPES[one.engine]
        yield own[seen[one.engine] % len(own)]
        seen[one.engine] += 1


def _axis(unit: str, values: Sequence[float], far: float, room: float) -> Figure:
    """Logarithmic where the values lie so far apart that most of them would stand in a corner; else from zero on."""
    smallest, largest = min(values, default=0.0), max(values, default=0.0)
    if smallest <= 0 or largest / smallest < far:
        return _roomy(unit, values, room)
    low, high = math.log10(smallest), math.log10(largest)
    pad = (room - 1) * (high - low)
    ticks = [step * 10.0**power for power in range(math.floor(low - pad), math.ceil(high + pad)) for step in (1, 2, 5)]
    ticks = ticks if high - low < 2.5 else ticks[::3]
    axis = {
        name: value
        for name, value in value_axis(_("{unit}, logarithmic").format(unit=unit)).items()
        if name != "rangemode"
    }
    return {
        **axis,
        "type": "log",
        "range": [low - pad, high + pad],
        "tickvals": ticks,
        "ticktext": [number(tick, ",.10g") for tick in ticks],
    }


def _roomy(unit: str, values: Sequence[float], room: float) -> Figure:
    """From zero to a little beyond the largest value, so that nothing is drawn on the edge."""
    return {**value_axis(unit), "range": [0, room * max(values, default=0.0) or 1.0]}


def _figure(title: str, drawn: Sequence[Figure], axes: dict[str, Figure], caption: Sequence[str]) -> Figure:
    shape = {**frame(title, HEIGHT), "annotations": [], **axes}
    return {"data": list(drawn), "layout": shape, "caption": [escape(text) for text in caption], "lines": True}


def _colour(engine: str) -> str:
    return f"var(--{engine})" if engine else "var(--bar-1)"


def _line(place: int, line: Line) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(line.name),
        "x": list(line.x),
        "y": list(line.y),
        "line": {
            "shape": "hv",
            "dash": DASHES[place % len(DASHES)],
            "color": _colour(line.engine),
            "width": 1.5,
        },
    }


def _marks(line: Line) -> Figure:
    """Below and right of a mark a curve that only rises leaves room."""
    texts, x, y = zip(*line.marks, strict=True)
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": escape(line.name),
        "showlegend": False,
        "x": list(x),
        "y": list(y),
        "text": [escape(text) for text in texts],
        "textposition": "bottom right",
        "textfont": {"color": INK},
        "cliponaxis": False,
        "marker": {"symbol": "circle", "size": 7, "color": _colour(line.engine)},
    }


def _spots(series: Series, shape: str, several: bool) -> Iterator[Figure]:
    colour = _colour(series.engine)
    for place, (size, words, short) in PLACES.items():
        spots = [spot for spot in series.spots if spot.place == place]
        if spots:
            yield {
                "type": "scatter",
                "mode": "markers+text",
                "name": escape(f"{series.name}, {_(short)}" if several else _(words)),
                "x": [spot.x for spot in spots],
                "y": [spot.y for spot in spots],
                "text": [escape(spot.label) for spot in spots],
                "textfont": {"color": INK},
                "cliponaxis": False,
                "marker": {
                    "symbol": shape,
                    "size": size,
                    "color": PAPER if series.hollow else colour,
                    "line": {"color": colour, "width": 2 if series.hollow else 0},
                },
            }


def _lost(series: Sequence[Series], several: bool) -> Iterator[Figure]:
    """Loads that are no results, in the corner that both high throughput and high speed would stand in."""
    named = [
        f"{one.name}, {spot.label}" if several else spot.label
        for one in series
        for spot in one.spots
        if spot.x is None or spot.y is None
    ]
    texts = [f"\N{MULTIPLICATION X} {name}: {_('no result')}" for name in named[:LOST_SHOWN]]
    if len(named) > LOST_SHOWN:
        texts.append(_("and {count} more without a result").format(count=len(named) - LOST_SHOWN))
    for line, text in enumerate(texts):
        place = {"xref": "paper", "yref": "paper", "x": 1, "y": 1 - 0.09 * line, "xanchor": "right", "yanchor": "top"}
        yield {**place, "text": escape(text), "showarrow": False, "font": {"color": "var(--v-no)"}}

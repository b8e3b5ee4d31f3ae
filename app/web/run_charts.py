"""A run's view, and a sweep's front -> charts with the tables of their data, and CSV. Pure."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.claims.words import axis_name
from app.web.axes_example import shown
from app.web.job_words import DUMMY_TEXT
from app.web.line_plots import Line, Spot, curve_figure, sweep_figure, timeline_figure
from app.web.measurement_contexts import ChartTable
from app.web.run_view import SHARES, Curve, RunView, Timeline
from app.web.source_contexts import Figure
from app.web.state import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Json = dict[str, Any]
CURVES = ("ttft", "tpot", "event_gap")
TIMELINE, SWEEP = "timeline", "sweep"
CHARTS = (*CURVES, TIMELINE, SWEEP)
ROWS_SHOWN = 30  # of a timeline's table; the CSV has all


@dataclass(frozen=True)
class Drawn:
    """What every chart of a page says of itself. `run` counts the page's runs from 1."""

    measurement: str
    run: int
    what: str
    dummy: bool
    invalid: bool
    origin: str


def curve_table(axis: str, view: RunView, of: Drawn) -> ChartTable | None:
    """How a run's values are spread; None where it has none."""
    curve = view.curves.get(axis)
    if curve is None:
        return None
    title = f"{axis_name(axis)}: share of values that are at most so large"
    caption = [f"{curve.count:,} values of one run: {of.what}."]
    if curve.infinite:
        of_failed = f"{curve.infinite:,} values are infinite, those of {view.failed:,} failed requests"
        caption.append(f"The curve ends below 100 %: {of_failed}.")
    data = curve_figure(title, "ms", [Line(axis_name(axis), curve.x, curve.share)], [*caption, *_caveats(of)])
    return ChartTable(
        figure=_figure(axis, title, data, of),
        headings=("Share of values", f"{axis_name(axis)}, ms"),
        rows=tuple((f"{percent} %", shown_at(curve, percent)) for percent in SHARES),
        note="",
    )


def shown_at(curve: Curve, percent: int) -> str:
    value = curve.at(percent)
    return "infinite: failed requests" if value is None else shown(value)


def timeline_table(view: RunView, of: Drawn) -> ChartTable | None:
    line = view.timeline
    if line is None:
        return None
    title = "Requests under way and output over the run"
    caption = [f"Means of steps of {line.step_s:g} s of one run: {of.what}."]
    if line.tokens_s is None:
        caption.append("Output is not drawn: the stream does not say how many tokens its events carry.")
    edges = [*_starts(line), round(len(line.running) * line.step_s, 6)]
    tokens = Line("output tok/s", edges, _to_the_end(line.tokens_s)) if line.tokens_s else None
    running = Line("requests under way", edges, _to_the_end(line.running))
    data = timeline_figure(title, running, tokens, [*caption, *_caveats(of)])
    rows = list(_timeline_rows(line))
    left_out = len(rows) - ROWS_SHOWN
    return ChartTable(
        figure=_figure(TIMELINE, title, data, of),
        headings=TIMELINE_HEADINGS,
        rows=tuple(rows[:ROWS_SHOWN]),
        note=f"{left_out} further steps stand in the CSV." if left_out > 0 else "",
    )


def _to_the_end(values: Sequence[float]) -> list[float]:
    """The last step is as wide as the others."""
    return [*values, values[-1]]


TIMELINE_HEADINGS = ("From, s", "Requests under way, mean", "Output, tok/s")


def _starts(line: Timeline) -> list[float]:
    return [round(place * line.step_s, 6) for place in range(len(line.running))]


def _timeline_rows(line: Timeline) -> Iterator[tuple[str, str, str]]:
    for place, start in enumerate(_starts(line)):
        tokens = "not stated" if line.tokens_s is None else f"{line.tokens_s[place]:.6g}"
        yield f"{start:g}", f"{line.running[place]:.4g}", tokens


def sweep_table(front: Sequence[Json], of: Drawn) -> ChartTable | None:
    """Every load of a sweep, those that are beaten and those that are no results too."""
    if not front:
        return None
    share = "per GPU" if front[0]["per_gpu"] else "of the whole machine"
    title = f"Total throughput {share} over P90 interactivity"
    lost = [item["load"] for item in front if item["place"] == "not_a_result"]
    caption = ["Each mark is a load that was measured; nothing is known between them, so no line joins them."]
    if lost:
        caption.append(f"No results, so without a place: {', '.join(lost)}.")
    spots = [_spot(item) for item in front]
    units = ("P90 interactivity, slow tail, tok/s/user", f"tok/s {share}")
    data = sweep_figure(title, *units, spots, [*caption, *_caveats(of)])
    headings = ("Load", "P90 interactivity, tok/s/user", f"Total throughput {share}, tok/s", "Place")
    return ChartTable(_figure(SWEEP, title, data, of), headings, tuple(_sweep_rows(front)), "")


def _spot(item: Json) -> Spot:
    lost = item["place"] == "not_a_result"
    x, y = (None if lost else float(item[name]) for name in ("interactivity_p90_slow", "throughput"))
    return Spot(item["load"], item["place"], x, y)


PLACE_WORDS = {"front": "on the front", "not_a_result": "no result"}


def _sweep_rows(front: Iterable[Json]) -> Iterator[tuple[str, ...]]:
    for item in front:
        numbers = [item["interactivity_p90_slow"], item["throughput"]]
        said = ["withheld" if value is None else shown(float(value)) for value in numbers]
        place = PLACE_WORDS.get(item["place"]) or f"beaten by {item['beaten_by']}"
        yield (item["load"], *said, place)


def _caveats(of: Drawn) -> list[str]:
    found = [f"Random weights: {DUMMY_TEXT[0].lower()}{DUMMY_TEXT[1:]}"] if of.dummy else []
    if of.invalid:
        found.append("This run is no result; the chart shows what happened, and nothing to quote.")
    return [*found, f"Source: {of.origin}."]


def _figure(chart: str, title: str, data: dict[str, Any], of: Drawn) -> Figure:
    asked = [("run", str(of.run)), ("chart", chart)]
    url = address(f"/measurements/{of.measurement}/chart.csv", asked)
    return Figure(f"chart-{chart}", f"{of.measurement}-run{of.run}-{chart}", title, data, url)


def chart_csv(chart: str, view: RunView | None, front: Sequence[Json], of: Drawn) -> str | None:
    """All data of a chart with its caveats in the first lines; None where there is no such chart."""
    rows: Iterable[Sequence[str]]
    if chart == SWEEP and front:
        rows = [("load", "interactivity_p90_slow_tok_s_user", "throughput_tok_s", "place"), *_sweep_rows(front)]
    elif view is not None and chart == TIMELINE and view.timeline:
        rows = [("from_s", "running_mean", "output_tok_s"), *_timeline_rows(view.timeline)]
    elif view is not None and chart in view.curves:
        curve = view.curves[chart]
        points = zip(curve.x, curve.share, strict=True)
        rows = [("at_most_ms", "share_percent"), *((f"{x:.9g}", f"{share:.9g}") for x, share in points)]
    else:
        return None
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for said in (of.what, *_caveats(of)):
        writer.writerow([f"# {said}"])
    writer.writerows(rows)
    return out.getvalue()

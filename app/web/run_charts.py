"""A run's view, and a sweep's front -> charts with the tables of their data, and CSV. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from app.claims.words import axis_name
from app.jobs.numbers import AT_END, load_said
from app.jobs.simulated import is_simulated
from app.language import N_, _, number
from app.protocol.english import counted
from app.web.axes_example import shown
from app.web.chart_csv import chart_csv
from app.web.job_words import DUMMY_TEXT
from app.web.line_plots import Line, Series, Spot, curve_figure, sweep_figure, timeline_figure
from app.web.measurement_contexts import ChartTable
from app.web.run_view import SHARES, Curve, RunView, Timeline
from app.web.source_contexts import Figure
from app.web.state import address
from runners.load.statistics import few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.protocol.outcome import Report

Json = dict[str, Any]
CURVES = ("ttft", "tpot", "event_gap")
TIMELINE, SWEEP = "timeline", "sweep"
CHARTS = (*CURVES, TIMELINE, SWEEP)
ROWS_SHOWN = 30  # of a timeline's table; the CSV has all
MARKED = (50, 90, 99)  # percent, where a curve bears its value
LOAD, STARRED = "concurrency ", "*"
LOST = "not_a_result"
PLACE_WORDS = {"front": N_("on the front"), LOST: N_("no result")}
X_UNIT = N_("P90 interactivity, slow tail, tok/s/user")
TIMELINE_HEADINGS = (N_("From, s"), N_("Requests under way, mean"), N_("Output, tok/s"))
SWEEP_HEADINGS = ("load", "interactivity_p90_slow_tok_s_user", "throughput_tok_s", "place")


@dataclass(frozen=True)
class Drawn:
    """What every chart of a page says of itself. `run` counts the page's runs from 1."""

    measurement: str
    run: int
    what: str
    dummy: bool
    forced: bool  # speculation was accepted by a simulation
    invalid: bool
    origin: str
    engine: str  # a key of line_plots.SHAPES
    too_few: tuple[str, ...] = ()  # loads with too few requests for the P90 that a sweep places them by


def engine_of(report: Report) -> str:
    """Whose colour and shape a report's marks have; a server that ran already says nothing of its engine."""
    launch = report.plan.sides[0].launch
    return launch.engine if launch else "other"


def is_forced(report: Report) -> bool:
    return any(side.launch is not None and is_simulated(side.launch) for side in report.plan.sides)


@dataclass(frozen=True)
class Beside:
    """The same load on the other server of an A/B job, which is drawn into the same curves."""

    names: tuple[str, str]
    view: RunView


def curve_table(axis: str, view: RunView, of: Drawn, beside: Beside | None = None) -> ChartTable | None:
    """How a run's values are spread; None where it has none, or one, which its table says better."""
    curve, other = view.curves.get(axis), beside.view.curves.get(axis) if beside else None
    if curve is None or curve.count < 2:
        return None
    name = axis_name(axis)
    title = _("{name}: share of values that are at most so large").format(name=name)
    lines = [Line(name, curve.x, curve.share, of.engine if other else "", () if other else _marks(curve))]
    columns = [(f"{name}, ms", curve)]
    if beside and other:
        lines = [replace(lines[0], name=beside.names[0]), Line(beside.names[1], other.x, other.share, of.engine)]
        columns = [(f"{said}, ms", known) for said, known in zip(beside.names, (curve, other), strict=True)]
    data = curve_figure(title, "ms", lines, [*_counted(curve, view, of), *_other(beside, other), *_caveats(of)])
    return ChartTable(
        figure=_figure(axis, title, data, of),
        headings=(_("Share of values"), *(heading for heading, _curve in columns)),
        rows=tuple((f"{percent} %", *(shown_at(known, percent) for _, known in columns)) for percent in SHARES),
        note="",
    )


def _counted(curve: Curve, view: RunView, of: Drawn) -> Iterator[str]:
    yield _("{count} of one run: {what}.").format(count=counted(curve.count, "value"), what=of.what)
    if curve.infinite:
        yield _(
            "The curve ends below 100 %: {infinite} values are infinite, those of {failed} failed requests."
        ).format(infinite=number(curve.infinite), failed=number(view.failed))


def _other(beside: Beside | None, other: Curve | None) -> Iterator[str]:
    if beside and other:
        yield _("Beside it {count} values of {server}: the same load and repeat.").format(
            count=number(other.count), server=beside.names[1]
        )


def _marks(curve: Curve) -> tuple[tuple[str, float, float], ...]:
    """Where the quoted percentiles stand, and in the place of those that so few values have not, the largest one; none
    beyond the largest finite value."""
    there = [percent for percent in MARKED if not few(percent, curve.count)]
    known = [(f"P{percent}", percent, curve.at(percent)) for percent in there]
    if len(there) < len(MARKED):
        known.append(("max", 100, curve.at(100)))
    return tuple((f"{name} {shown(x)}", x, float(percent)) for name, percent, x in known if x is not None)


def shown_at(curve: Curve, percent: int) -> str:
    if percent < 100 and few(max(percent, 100 - percent), curve.count):
        return _("not enough values ({count})").format(count=curve.count)
    value = curve.at(percent)
    return _("infinite: failed requests") if value is None else shown(value)


def timeline_table(view: RunView, of: Drawn) -> ChartTable | None:
    line = view.timeline
    if line is None or len(line.running) < 2:
        return None
    title = _("Requests under way and output over the run")
    caption = [
        _("Means of steps of {seconds} s of one run: {what}.").format(seconds=number(line.step_s, "g"), what=of.what)
    ]
    if line.tokens_s is None:
        caption.append(_("Output is not drawn: the stream does not say how many tokens its events carry."))
    edges = [*_starts(line), round(len(line.running) * line.step_s, 6)]
    tokens = Line(_("output tok/s"), edges, _to_the_end(line.tokens_s)) if line.tokens_s else None
    running = Line(_("requests under way"), edges, _to_the_end(line.running))
    data = timeline_figure(title, running, tokens, [*caption, *_caveats(of)])
    rows = list(_timeline_rows(line))
    left_out = len(rows) - ROWS_SHOWN
    return ChartTable(
        figure=_figure(TIMELINE, title, data, of),
        headings=tuple(map(_, TIMELINE_HEADINGS)),
        rows=tuple(rows[:ROWS_SHOWN]),
        note=_("{count} further steps stand in the CSV.").format(count=left_out) if left_out > 0 else "",
    )


def _to_the_end(values: Sequence[float]) -> list[float]:
    """The last step is as wide as the others."""
    return [*values, values[-1]]


def _starts(line: Timeline) -> list[float]:
    return [round(place * line.step_s, 6) for place in range(len(line.running))]


def _timeline_rows(line: Timeline) -> Iterator[tuple[str, str, str]]:
    for place, start in enumerate(_starts(line)):
        tokens = _("not stated") if line.tokens_s is None else number(line.tokens_s[place], ".6g")
        yield number(start, "g"), number(line.running[place], ".4g"), tokens


def sweep_table(front: Sequence[Json], of: Drawn) -> ChartTable | None:
    """Every load of a sweep, those that are beaten and those that are no results too; None where no two have a place,
    for their numbers stand in the table of loads."""
    if sum(item["place"] != LOST for item in front) < 2:
        return None
    share = share_words(front)
    title = _("Total throughput {share} over P90 interactivity").format(share=share)
    series = _own_series(front, of)
    data = sweep_figure(title, _(X_UNIT), f"tok/s {share}", [series], list(_sweep_caption(series, of)))
    headings = (
        _("Load"),
        _("P90 interactivity, tok/s/user"),
        _("Total throughput {share}, tok/s").format(share=share),
        _("Place"),
    )
    return ChartTable(_figure(SWEEP, title, data, of), headings, tuple(sweep_rows(front)), "")


def _own_series(front: Sequence[Json], of: Drawn) -> Series:
    return sweep_series(of.what.partition(";")[0], of.engine, front, hollow=of.forced)


def _sweep_caption(series: Series, of: Drawn) -> Iterator[str]:
    """A sweep is of all runs, whichever of them the page shows below."""
    yield f"{series.name}. " + _(
        "Each mark is a load that was measured; nothing is known between them, so no line joins them."
    )
    yield from said_of_loads([series])
    yield from (_("{load}, so its place rests on its slowest requests.").format(load=said) for said in of.too_few)
    yield from _caveats(replace(of, invalid=False))


def share_words(front: Sequence[Json]) -> str:
    return _("per GPU") if front[0]["per_gpu"] else _("of the whole machine")


def sweep_series(name: str, engine: str, front: Sequence[Json], *, hollow: bool) -> Series:
    """A sweep's loads as marks; a mark's label is the bare concurrency, with a star where tokens are counted at the
    end."""
    return Series(name, engine, tuple(_spot(item) for item in front), hollow=hollow)


def said_of_loads(series: Sequence[Series]) -> list[str]:
    """What the captions of sweeps say of marks and of loads without one."""
    labels = [spot.label for one in series for spot in one.spots if spot.x is not None]
    found = [_("The figure at a mark is its concurrency.")] if any(label[:1].isdigit() for label in labels) else []
    if any(label.endswith(STARRED) for label in labels):
        found.append(_("{star} tokens counted at the end of a request, not with each event.").format(star=STARRED))
    lost = [spot.label for one in series for spot in one.spots if spot.x is None]
    if lost:
        found.append(_("No results, so without a place: {loads}.").format(loads=", ".join(lost)))
    if any(one.hollow for one in series):
        found.append(_("Hollow marks: speculation at an acceptance that was set by a simulation, not earned."))
    return found


def _spot(item: Json) -> Spot:
    if item["place"] == LOST:
        return Spot(load_said(item["load"]), LOST, None, None)
    whole = str(item["load"])
    bare = whole.removeprefix(LOAD).removesuffix(AT_END)
    label = f"{bare}{STARRED if whole.endswith(AT_END) else ''}" if bare.isdigit() else load_said(whole)
    return Spot(label, item["place"], float(item["interactivity_p90_slow"]), float(item["throughput"]))


def _place_words(item: Json) -> str:
    words = PLACE_WORDS.get(item["place"])
    return _(words) if words else _("beaten by {load}").format(load=load_said(item["beaten_by"]))


def sweep_rows(front: Iterable[Json]) -> Iterator[tuple[str, ...]]:
    for item in front:
        numbers = [item["interactivity_p90_slow"], item["throughput"]]
        said = [_("withheld") if value is None else shown(float(value)) for value in numbers]
        yield (load_said(item["load"]), *said, _place_words(item))


def sweep_lines(front: Iterable[Json]) -> Iterator[tuple[str, ...]]:
    """The same for a CSV, with plain numbers."""
    for item in front:
        numbers = [item["interactivity_p90_slow"], item["throughput"]]
        yield (
            item["load"],
            *("withheld" if value is None else f"{float(value):.9g}" for value in numbers),
            _place_words(item),
        )


def _caveats(of: Drawn) -> list[str]:
    dummy = _(DUMMY_TEXT)
    found = [_("Random weights: {text}").format(text=f"{dummy[0].lower()}{dummy[1:]}")] if of.dummy else []
    if of.forced:
        found.append(_("Speculation ran at an acceptance that was set by a simulation, not earned."))
    if of.invalid:
        found.append(_("This run is no result; the chart shows what happened, and nothing to quote."))
    return [*found, _("Source: {origin}.").format(origin=of.origin)]


def _figure(chart: str, title: str, data: dict[str, Any], of: Drawn) -> Figure:
    asked = [("run", str(of.run)), ("chart", chart)]
    url = address(f"/measurements/{of.measurement}/chart.csv", asked)
    return Figure(f"chart-{chart}", f"{of.measurement}-run{of.run}-{chart}", title, data, url)


def run_csv(chart: str, view: RunView | None, front: Sequence[Json], of: Drawn, beside: Beside | None) -> str | None:
    """All data of a chart with its caveats in the first lines; None where there is no such chart."""
    lines: Iterable[Sequence[str]]
    headings: Sequence[str]
    if chart == SWEEP and front:
        return chart_csv(_sweep_caption(_own_series(front, of), of), SWEEP_HEADINGS, sweep_lines(front))
    if view is not None and chart == TIMELINE and view.timeline:
        headings, lines = ("from_s", "running_mean", "output_tok_s"), _timeline_rows(view.timeline)
    elif view is not None and chart in view.curves:
        headings, lines = _curve_csv(chart, view, beside)
    else:
        return None
    return chart_csv((of.what, *_caveats(of)), headings, lines)


def _curve_csv(chart: str, view: RunView, beside: Beside | None) -> tuple[Sequence[str], Iterable[Sequence[str]]]:
    headings, lines = ("at_most_ms", "share_percent"), curve_lines(view.curves[chart])
    if beside is None or chart not in beside.view.curves:
        return headings, lines
    of_both = zip(beside.names, (lines, curve_lines(beside.view.curves[chart])), strict=True)
    return ("server", *headings), [(name, *line) for name, of_one in of_both for line in of_one]


def curve_lines(curve: Curve) -> Iterator[tuple[str, str]]:
    return ((f"{x:.9g}", f"{share:.9g}") for x, share in zip(curve.x, curve.share, strict=True))

"""Two to four measurements -> the page that sets them side by side: what differs in their setups, then their sweeps and
distributions in one chart each. Pure. Nothing is divided and nobody is named first: a verdict needs a claim."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from app.claims.schema import Baseline, Claim, Conditions
from app.claims.words import axis_name, fact_words
from app.compare.conditions import COMPARED
from app.jobs.numbers import load_said
from app.jobs.ran import conditions_of
from app.language import N_, _, day, number
from app.web.beside_contexts import BesideChoice, BesidePage
from app.web.best_part import best_beside
from app.web.chart_csv import chart_csv
from app.web.contexts import Fact, Link, Shell, SideLine
from app.web.job_words import DUMMY_TEXT, engine, measured
from app.web.line_plots import Line, curve_figure, sweep_figure
from app.web.measurement_contexts import ChartTable
from app.web.measurement_numbers import runs_of
from app.web.measurement_page import report_of
from app.web.run_charts import (
    CURVES,
    SWEEP,
    SWEEP_HEADINGS,
    X_UNIT,
    curve_lines,
    engine_of,
    is_forced,
    said_of_loads,
    share_words,
    shown_at,
    sweep_lines,
    sweep_rows,
    sweep_series,
)
from app.web.run_view import SHARES
from app.web.source_contexts import Figure
from app.web.state import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.jobs.rows import MeasurementRow
    from app.protocol.outcome import Report
    from app.web.contexts import Trouble
    from app.web.run_view import RunView

Json = dict[str, Any]
MOST = 4
PATH = "/measurements/compare"
ABOUT = N_("Measurements set side by side: what differs in their setups, their sweeps and their distributions.")


@dataclass(frozen=True)
class Side:
    """A measurement with the view of its first result at the load that is shown; None where there is none."""

    row: MeasurementRow
    report: Report
    view: RunView | None = None

    @property
    def name(self) -> str:
        launch = self.report.plan.sides[0].launch
        return f"{self.row.id}, {engine(launch) if launch else _('a running server')}"


def side_of(row: MeasurementRow, view: RunView | None = None) -> Side:
    return Side(row, report_of(row), view)


def shared_loads(rows: Sequence[MeasurementRow]) -> list[str]:
    """Loads at which every measurement has a result on its first server, in the first one's order."""
    found = [{item["load"]: None for item, run in _results(row)} for row in rows]
    return [load for load in found[0] if all(load in other for other in found[1:])] if found else []


def place_at(row: MeasurementRow, load: str) -> int:
    """The place, from 1, of the first result at a load that it has."""
    runs = runs_of(row.numbers)
    return next(place for place, (item, run) in enumerate(runs, 1) if _counts(item, run) and item["load"] == load)


def _results(row: MeasurementRow) -> list[tuple[Json, Json]]:
    return [(item, run) for item, run in runs_of(row.numbers) if _counts(item, run)]


def _counts(item: Json, run: Json) -> bool:
    return item["side"] == "a" and bool(run["valid"]) and run["trace_sha256"] is not None


def beside_page(
    sides: Sequence[Side], load: str, newest: Sequence[MeasurementRow], troubles: Sequence[Trouble], above: str = ""
) -> BesidePage:
    """`newest`: measurements to choose from; `above`: the speed that every sweep is asked for its best load at."""
    several, rows = len(sides) > 1, [side.row for side in sides]
    differing, unknown = _setups(sides) if several else ((), ())
    said = _said(differing, unknown)
    loads = shared_loads(rows) if several else []
    listed = {row.id: row for row in (*rows, *newest)}
    chosen = {row.id for row in rows}
    title = _(" and ").join(side.row.id for side in sides) if several else _("Measurements")
    return BesidePage(
        shell=Shell(_("{title}, side by side").format(title=title), _(ABOUT), "/measurements"),
        troubles=tuple(troubles),
        choices=tuple(BesideChoice(name, measured(report_of(row)), name in chosen) for name, row in listed.items()),
        sides=tuple(Link(f"{side.row.id}: {measured(side.report)}", f"/measurements/{side.row.id}") for side in sides),
        said=said,
        differing=differing,
        unknown=unknown,
        best=best_beside(rows, above) if several else None,
        asked_too=(*(("ids", row.id) for row in rows), *((("load", load),) if load else ())),
        charts=tuple(_charts(sides, load, [said, *_caveats(sides)])) if several else (),
        loads=tuple(Link(load_said(item), _address(PATH, sides, ("load", item))) for item in loads if item != load),
        undrawn=_("There is no load at which all of them have a result, so no distributions are set side by side.")
        if several and not loads
        else "",
    )


def _said(differing: Sequence[SideLine], unknown: Sequence[SideLine]) -> str:
    if not differing:
        if not unknown:
            return _("Nothing that both state differs between their setups. No ratio is given here.")
        return _(
            "Nothing that both state differs between their setups; what they leave open may. No ratio is given here."
        )
    named = ", ".join(line.label for line in differing)
    return _(
        "Their setups differ in {named}, so what lies between their numbers is no one thing. No ratio is given here."
    ).format(named=named)


def _setups(sides: Sequence[Side]) -> tuple[tuple[SideLine, ...], tuple[SideLine, ...]]:
    """What differs, and what at least one of them leaves open; loads are the charts' matter."""
    claims = [_as_claim(side.report) for side in sides]
    differing, unknown = [], []
    for name, fact in COMPARED.items():
        states = {fact.state(one, other) for one, other in combinations(claims, 2)}
        values = [fact.read(claim) for claim in claims]
        line = SideLine(fact.label, tuple(Fact("", fact_words(name, text), text is not None) for text in values))
        if name == "load.concurrency" or not any(values):
            continue
        if states & {"differs", "apart"}:
            differing.append(line)
        elif "not_stated" in states:
            unknown.append(line)
    return tuple(differing), tuple(unknown)


def _as_claim(report: Report) -> Claim:
    """What was run, as far as comparing conditions reads a claim."""
    conditions, acceptance = conditions_of(report, "a", 0, Conditions())
    return Claim(
        id="measured", title=measured(report), unit="tok/s", kind="absolute", axis="output_throughput",
        scope="end_to_end", locator="measured", stated_in="measured", baseline=Baseline(kind="none"),
        conditions=conditions, acceptance=acceptance,
    )  # fmt: skip


def _charts(sides: Sequence[Side], load: str, caveats: Sequence[str]) -> Iterator[ChartTable]:
    drawn = [_sweeps(sides, caveats), *(_curves(axis, sides, load, caveats) for axis in CURVES)]
    yield from (chart for chart in drawn if chart)


def _fronts(sides: Sequence[Side]) -> list[Side]:
    """Sweeps that can stand over one pair of axes."""
    swept = [side for side in sides if side.row.numbers["front"]]
    alike = {share_words(side.row.numbers["front"]) for side in swept}
    return swept if len(swept) > 1 and len(alike) == 1 else []


def _sweeps(sides: Sequence[Side], caveats: Sequence[str]) -> ChartTable | None:
    swept = _fronts(sides)
    if not swept:
        return None
    share = share_words(swept[0].row.numbers["front"])
    series = [
        sweep_series(side.name, engine_of(side.report), side.row.numbers["front"], hollow=is_forced(side.report))
        for side in swept
    ]
    title = _("Total throughput {share} over P90 interactivity").format(share=share)
    caption = [_("Each has a front of its own. Nothing is known between loads, so no line joins them.")]
    data = sweep_figure(title, _(X_UNIT), f"tok/s {share}", series, [*caption, *said_of_loads(series), *caveats])
    rows = tuple((side.name, *row) for side in swept for row in sweep_rows(side.row.numbers["front"]))
    headings = (
        _("Measurement"),
        _("Load"),
        _("P90 interactivity, tok/s/user"),
        _("Total throughput {share}, tok/s").format(share=share),
        _("Place"),
    )
    return ChartTable(_figure(SWEEP, title, data, sides, ""), headings, rows, "")


def _curves(axis: str, sides: Sequence[Side], load: str, caveats: Sequence[str]) -> ChartTable | None:
    known = [(side, side.view.curves[axis]) for side in sides if side.view and axis in side.view.curves]
    if len(known) < 2:
        return None
    title = _("{axis} at {load}: share of values that are at most so large").format(
        axis=axis_name(axis), load=load_said(load)
    )
    lines = [Line(side.name, curve.x, curve.share, engine_of(side.report)) for side, curve in known]
    counted = [
        _("{id}: {count} values of its first run that is a result.").format(id=side.row.id, count=number(curve.count))
        for side, curve in known
    ]
    data = curve_figure(title, "ms", lines, [*counted, *caveats])
    headings = (_("Share of values"), *(f"{side.name}, ms" for side, _curve in known))
    rows = tuple((f"{percent} %", *(shown_at(curve, percent) for _, curve in known)) for percent in SHARES)
    return ChartTable(_figure(axis, title, data, sides, load), headings, rows, "")


def _caveats(sides: Sequence[Side]) -> Iterator[str]:
    """What a reader of the picture alone must be told, after how the setups differ."""
    for side in sides:
        if side.report.plan.on_random_weights:
            yield _("{id}: random weights. {text}").format(id=side.row.id, text=_(DUMMY_TEXT))
        if is_forced(side.report):
            yield _("{id}: speculation at an acceptance that was set by a simulation, not earned.").format(
                id=side.row.id
            )
    named = "; ".join(f"{side.row.id} ({measured(side.report)}, {day(side.row.created_at)})" for side in sides)
    yield _("Source: Benchcard measurements {named}.").format(named=named)


def _figure(chart: str, title: str, data: Json, sides: Sequence[Side], load: str) -> Figure:
    asked = [("chart", chart), *([("load", load)] if load else [])]
    name = "-".join((*(side.row.id for side in sides), chart))
    return Figure(f"chart-{chart}", name, title, data, _address(f"{PATH}.csv", sides, *asked))


def _address(path: str, sides: Sequence[Side], *more: tuple[str, str]) -> str:
    return address(path, [*(("ids", side.row.id) for side in sides), *more])


def beside_csv(chart: str, sides: Sequence[Side], load: str) -> str | None:
    """The data of one chart with its caveats in the first lines; None where there is no such chart."""
    caveats = [_said(*_setups(sides)), *_caveats(sides)]
    if chart == SWEEP and (swept := _fronts(sides)):
        of_all = [(side, sweep_lines(side.row.numbers["front"])) for side in swept]
        return chart_csv(
            caveats, ("measurement", *SWEEP_HEADINGS), [(side.row.id, *row) for side, of in of_all for row in of]
        )
    known = [(side, side.view.curves[chart]) for side in sides if side.view and chart in side.view.curves]
    if len(known) < 2:
        return None
    lines = [(side.row.id, *line) for side, curve in known for line in curve_lines(curve)]
    comments = [f"{axis_name(chart)} at {load}", *caveats]
    return chart_csv(comments, ("measurement", "at_most_ms", "share_percent"), lines)

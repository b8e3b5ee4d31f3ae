"""A measurement -> the context of its page. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.axes import AXES
from app.claims.wording import number, with_unit
from app.claims.words import NOT_STATED, against, axis_name, fact_words
from app.compare.reproduction import WORDS, Verdict
from app.jobs.best import no_p90
from app.jobs.numbers import load_said
from app.jobs.outputs import MEANS as OUTPUTS_MEAN
from app.jobs.outputs import said as outputs_said
from app.language import N_, _, as_number, day, moment
from app.protocol.english import counted
from app.protocol.outcome import Report
from app.protocol.reasons import said as worded
from app.web.agreement_points import held_points
from app.web.axes_example import SAME_SAID
from app.web.badge_svg import BadgeSaid, snippet
from app.web.best_part import best_part
from app.web.claim_row import label
from app.web.contexts import Fact, Link, Shell
from app.web.job_contexts import FileLine
from app.web.job_page import card_facts, plan_facts
from app.web.job_words import DUMMY_TEXT, measured, size
from app.web.measurement_contexts import (
    MeasurementPage,
    RunPart,
    VerdictPart,
)
from app.web.measurement_numbers import (
    COLUMNS,
    REFEREE_COLUMNS,
    ratios,
    referee_lines,
    runs_of,
    runs_part,
    set_lines,
    told_at_runs,
    unplaced,
)
from app.web.measurement_setup import command_facts, machine_facts, model_facts, servers
from app.web.picture_words import of_measurement, said_by
from app.web.run_charts import CURVES, Beside, Drawn, curve_table, engine_of, is_forced, sweep_table, timeline_table
from app.web.shared_contexts import SharedAs
from app.web.state import address
from app.web.wording import again, plain
from runners.load.statistics import ENOUGH

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from app.cards.queries import CardRow
    from app.claims.schema import ClaimRow
    from app.compare.setup import SetupDifference
    from app.jobs.rows import MeasurementRow
    from app.web.picture_words import Picture
    from app.web.run_view import RunView

Json = dict[str, Any]
RUNS_SAY = N_("Runs of it are no result; the table of every run says why.")
ABOUT = N_(
    "A measurement: the verdict on the claim, every definition, distributions, the machine, and how to repeat it."
)


@dataclass(frozen=True)
class Chosen:
    """The run that the page shows below; `view` is None where its trace cannot be read, and why."""

    place: int  # from 1
    view: RunView | None
    trouble: str
    beside: Beside | None = None


@dataclass(frozen=True)
class Known:
    """What is known of a measurement beside its record: when it was made, where a record says so, the claims whose
    numbers were computed from it, the cards that name its traces, and what its reader asks: above which speed it is the
    best, and for a certain run."""

    measured_at: dt.datetime | None
    published: Sequence[ClaimRow] = ()
    cards: Sequence[CardRow] = ()
    above: str = ""
    run_asked: bool = False


def report_of(row: MeasurementRow) -> Report:
    """Stored as it was validated, so it is read without a question."""
    return Report.model_validate_json(json.dumps(row.report))


def verdict_of(row: MeasurementRow) -> Verdict | None:
    """In words: its reasons without the names of rules."""
    if not row.verdict:
        return None
    stored = Verdict.model_validate_json(json.dumps(row.verdict))
    return stored.model_copy(update={"text": worded(stored.text), "reasons": tuple(map(worded, stored.reasons))})


def of_claim(row: MeasurementRow) -> str:
    """The id of what was measured again, in the list of claims, where a card stands too; "" where there is none."""
    return row.claim_id or row.card_id or ""


def measurement_page(
    row: MeasurementRow, claim: ClaimRow | None, chosen: Chosen | None, root: str, known: Known
) -> MeasurementPage:
    """`claim`: what was measured again, where it is still here. `root`: this server's address, for what is to be
    copied."""
    report, verdict = report_of(row), verdict_of(row)
    plan, runs = report.plan, runs_of(row.numbers)
    labels: dict[str, str] = {side.name: side.label for side in plan.sides}
    heading = measured(report)
    said = picture_of(row, report, claim, root)
    shared = SharedAs(said.url, f"{said.url}/picture.png", said_by(said))
    url, of = f"/measurements/{row.id}", drawn(row, report, chosen.place if chosen else 1)
    return MeasurementPage(
        shell=Shell(
            _("Measurement: {heading}").format(heading=heading),
            verdict.text if verdict else _(ABOUT),
            "/measurements",
            shared,
        ),
        id=row.id,
        heading=heading,
        when=_when(row, known.measured_at),
        dummy=_(DUMMY_TEXT) if plan.on_random_weights else "",
        published=tuple(Link(label(item), f"/claims/{item.id}") for item in known.published),
        published_in=_published_in(known.published),
        verdict=_verdict(verdict, claim, told_at_runs(row.numbers)) if verdict else None,
        said=what_runs_say(row, runs),
        about=(*_about(row), *card_facts(known.cards)),
        columns=tuple(map(_, COLUMNS.values())),
        sets=set_lines(row.numbers, labels),
        ratios=tuple(ratios(row.numbers)),
        outputs=tuple(_outputs(row.numbers)),
        sweep=sweep_table(row.numbers["front"], of),
        best=best_part(row, known.above),
        asked_too=(("run", str(chosen.place)),) if chosen and known.run_asked else (),
        referee=referee_lines(row.numbers, labels),
        referee_columns=tuple(map(_, REFEREE_COLUMNS)),
        held=held_points(row.numbers),
        runs=runs_part(url, runs, labels, chosen.place if chosen else 0, asked=known.run_asked),
        run=_run(runs, chosen, of) if chosen else None,
        plan=(*model_facts(report, known.published), *plan_facts(plan)),
        machine=machine_facts(report.machine),
        servers=servers(report),
        notes=(*unplaced(row.numbers)[:20], *map(again, report.notes)),
        commands=command_facts(row, plan, root),
        files=tuple(_file(row, part.name, part.size, part.sha256) for part in row.parts),
        downloads=tuple(_downloads(row)),
        badge=snippet(
            url,
            BadgeSaid.of_measurement(row.status, elsewhere=row.job_id is None),
            root,
            dummy=plan.on_random_weights,
        ),
        checked=row.checked,
        on_trust=row.on_trust,
        json_url=f"/api/v1{url}",
    )


def picture_of(row: MeasurementRow, report: Report, claim: ClaimRow | None, root: str) -> Picture:
    """What other sites show beside a link to it."""
    url = f"{root}/measurements/{row.id}"
    return of_measurement(verdict_of(row), claim, measured(report), url, report, row.numbers)


def _when(row: MeasurementRow, measured_at: dt.datetime | None) -> str:
    """A bundle tells of its own day; what was recorded here was measured just before."""
    at = moment(measured_at) if measured_at else _(NOT_STATED)
    if row.job_id:
        return _("Measured {at}").format(at=at)
    return _("Measured {at}; recorded here {day}").format(at=at, day=day(row.created_at))


def _published_in(claims: Sequence[ClaimRow]) -> Link | None:
    """The source of the claims that were published from it."""
    if not claims:
        return None
    source = claims[0].source
    return Link(
        _("{claims} in “{title}”").format(claims=counted(len(claims), "claim"), title=source.title),
        f"/sources/{source.id}",
    )


def drawn(row: MeasurementRow, report: Report, place: int) -> Drawn:
    """What the charts say of themselves."""
    runs = runs_of(row.numbers)
    of, run = runs[place - 1] if runs else ({"load": _("no run"), "side": "a"}, {"repeat": 0, "valid": False})
    return Drawn(
        measurement=row.id,
        run=place,
        what=f"{measured(report)}; {_of_run(of, run, several=len(report.plan.sides) > 1)}",
        dummy=report.plan.on_random_weights,
        forced=is_forced(report),
        engine=engine_of(report),
        invalid=not run["valid"],
        too_few=tuple(
            f"{load_said(item['load'])}: {again(why)}" for item in row.numbers["sets"] if (why := no_p90(item))
        ),
        origin=_("Benchcard measurement {id}, {day}, on {runner}").format(
            id=row.id, day=day(row.created_at), runner=report.machine.runner
        ),
    )


def _of_run(of: Json, run: Json, *, several: bool) -> str:
    load, repeat = load_said(of["load"]), run["repeat"]
    if several:
        said = _("server {letter}, {load}, repeat {repeat}")
        return said.format(letter=of["side"].upper(), load=load, repeat=repeat)
    return _("{load}, repeat {repeat}").format(load=load, repeat=repeat)


def beside_names(row: MeasurementRow, place: int) -> tuple[str, str]:
    """The servers of an A/B job as its curves name them, that of this run first."""
    first = runs_of(row.numbers)[place - 1][0]["side"]
    named = sorted(report_of(row).plan.sides, key=lambda item: item.name != first)
    one, other = (_("server {letter}: {label}").format(letter=side.name.upper(), label=side.label) for side in named)
    return one, other


def _verdict(given: Verdict, claim: ClaimRow | None, told: set[str]) -> VerdictPart:
    """`told`: reasons that stand in the table of runs."""
    own = tuple(reason for reason in given.reasons if reason not in told)
    return VerdictPart(
        status=given.status,
        word=_(WORDS[given.status]),
        axis=Link(axis_name(claim.axis), f"/axes#{claim.axis}") if claim else None,
        text=f"{given.text}{interval_said(given)}",
        facts=(*(_held_against(claim) if claim else ()), *_verdict_facts(given)),
        reasons=own if len(own) == len(given.reasons) else (*own, _(RUNS_SAY)),
        assumptions=tuple(map(plain, given.assumptions)),
        differences=tuple(_difference(item) for item in given.differences),
        left_open=tuple(_difference(item) for item in given.left_open),
    )


def _held_against(claim: ClaimRow) -> Iterator[Fact]:
    """What the number is a number of, and what it was set against."""
    axis = AXES.get(claim.axis)
    yield Fact(_("Axis"), _(axis.definition) if axis else axis_name(claim.axis), url=f"/axes#{claim.axis}")
    yield Fact(_("Held against"), f"{claim.headline}: {claim.title}", url=f"/claims/{claim.id}")
    if claim.baseline.kind != "none":
        yield Fact(_("The claim's own baseline"), against(claim.baseline), claim.baseline.kind != "not_stated")


def interval_said(given: Verdict) -> str:
    """The interval in words, with a blank before it; "" where there is none."""
    if given.low is None or given.high is None:
        return ""
    low, high = number(given.low), with_unit(number(given.high), given.unit or "")
    said = (
        _("The 95 % interval of the {repeats} repeats reaches from {low} to {high}.")
        if given.repeats >= ENOUGH
        else _("The whole range of the {repeats} repeats reaches from {low} to {high}.")
    )
    return " " + said.format(repeats=given.repeats, low=low, high=high)


def _outputs(numbers: Json) -> Iterator[str]:
    """Whether two servers gave the same outputs, load by load where there are several; nothing of one server."""
    found = numbers.get("outputs")
    if found is None:
        return
    yield outputs_said(found)
    if len(found["points"]) > 1:
        yield from (
            f"{load_said(item['load'])}: {outputs_said({**item, 'by': found['by']})}" for item in found["points"]
        )
    yield _(OUTPUTS_MEAN)


def _verdict_facts(given: Verdict) -> list[Fact]:
    found = [Fact(_("Claimed"), given.claimed or _(NOT_STATED), given.claimed is not None)]
    if given.claimed_low is not None or given.claimed_high is not None:
        ends = [number(end) if end is not None else _("no end") for end in (given.claimed_low, given.claimed_high)]
        found.append(Fact(_("The claim reaches"), _("from {low} to {high}").format(low=ends[0], high=ends[1])))
    if given.share is not None:
        found.append(Fact(_("Measured / claimed"), f"{number(given.share)}x"))
    if given.outputs:
        found.append(Fact(_("Outputs of the two servers"), given.outputs))
    if given.how and given.how != "-":
        found.append(Fact(_("How it was computed"), given.how))
    return found


def _difference(item: SetupDifference) -> tuple[str, str, str]:
    return item.label, fact_words(item.field, item.claimed), fact_words(item.field, item.measured)


def what_runs_say(row: MeasurementRow, runs: Sequence[tuple[Json, Json]]) -> str:
    """What stands on top: how many runs are a result, and why there is no verdict where there is none."""
    valid = sum(1 for _, run in runs if run["valid"])
    if not runs:
        return _("No run was made.")
    if valid == len(runs):
        whole = _("Every run of it is a result")
    elif valid:
        whole = _("{valid} of {runs} gave a result").format(valid=valid, runs=counted(len(runs), "run"))
    else:
        whole = _("No run of it is a result")
    if row.verdict is not None:
        return f"{whole}."
    why = _("there is no number to set it against") if of_claim(row) else _("it measured no claim again")
    return f"{whole}; {why}."


def _about(row: MeasurementRow) -> list[Fact]:
    found = []
    if row.claim_id:
        found.append(Fact(_("Measures again the claim"), row.claim_id, url=f"/claims/{row.claim_id}"))
    if row.card_id:
        found.append(Fact(_("Measures again the card"), row.card_id, url=f"/cards/{row.card_id}"))
    if row.job_id:
        found.append(Fact(_("Job"), row.job_id, url=f"/jobs/{row.job_id}"))
    trust = (
        _("a runner of this installation")
        if row.trust == "runner"
        else _("an imported bundle, verified from its traces")
    )
    found.append(Fact(_("Comes from"), trust))
    found.append(Fact(_("Recorded"), _("{at}, by {who}").format(at=moment(row.created_at), who=row.created_by)))
    return found


def _run(runs: Sequence[tuple[Json, Json]], chosen: Chosen, of: Drawn) -> RunPart:
    run, view = runs[chosen.place - 1][1], chosen.view
    charts = (
        [*(curve_table(axis, view, of, chosen.beside) for axis in CURVES), timeline_table(view, of)] if view else []
    )
    return RunPart(
        heading=of.what.rpartition("; ")[2],
        invalid=not run["valid"],
        trouble=chosen.trouble,
        tools=view.tools if view else (),
        rows=view.rows if view else (),
        same=as_number(SAME_SAID),
        charts=tuple(chart for chart in charts if chart),
    )


def _file(row: MeasurementRow, name: str, bytes_: int, sha256: str) -> FileLine:
    return FileLine(name, size(bytes_), sha256, f"/api/v1/measurements/{row.id}/parts/{name}")


def _downloads(row: MeasurementRow) -> list[Link]:
    found = [Link(_("Evidence bundle (zip)"), f"/api/v1/measurements/{row.id}/evidence")]
    if row.job_id:
        found.append(Link(_("Log"), address(f"/api/v1/jobs/{row.job_id}/log", [("epoch", str(row.epoch))])))
    return found

"""The question "best above N tok/s/user" and its answer, as pages show them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import InvalidInputError
from app.jobs.best import UNIT, best, read_above, unsteady
from app.jobs.numbers import load_said
from app.language import N_, _, number
from app.protocol.english import counted
from app.web.axes_example import shown
from app.web.contexts import Fact, Link
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.jobs.best import BestAnswer, BestLoad, Range
    from app.jobs.rows import MeasurementRow

MEASURED_ALONE = N_(
    "A load that was not measured has no number: nothing is said of what lies between these loads or beyond them."
)
COLUMNS = (
    N_("Load"), N_("Most total throughput (input + output)"), N_("Of that output"), N_("P90 interactivity, slow tail"),
    N_("TTFT, median"), N_("Repeats"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BestPart:
    """`label` is the question, `asked` what was typed, `trouble` why that could not be taken; `text` is empty while
    nothing is asked."""

    label: str
    asked: str
    trouble: str
    text: str
    facts: tuple[Fact, ...]
    notes: tuple[str, ...]
    json_url: str


@dataclass(frozen=True, slots=True)
class BestLine:
    """What one of several measurements answers: its best load by `COLUMNS`, or `none`, why it has none."""

    of: Link
    cells: tuple[str, ...]
    none: str
    json: Link | None


@dataclass(frozen=True, slots=True)
class BestBeside:
    """The question asked of every measurement that stands side by side, each by itself and in the order given."""

    label: str
    asked: str
    trouble: str
    columns: tuple[str, ...]
    lines: tuple[BestLine, ...]
    notes: tuple[str, ...]


def best_part(row: MeasurementRow, asked: str) -> BestPart | None:
    """None for what is no sweep."""
    if row.kind != "sweep":
        return None
    asked = asked.strip()
    above, trouble = _read(asked)
    if above is None:
        return BestPart(_label([row]), asked, trouble, "", (), (), "")
    found = best(row.kind, row.numbers, above)
    return BestPart(
        label=_label([row]),
        asked=asked,
        trouble="",
        text=found.text,
        facts=tuple(map(Fact, map(_, COLUMNS), _cells(found.best, found))) if found.best else (),
        notes=(*_of_best(found), _(MEASURED_ALONE), *_left_out(found)),
        json_url=_json_url(row, above),
    )


def best_beside(rows: Sequence[MeasurementRow], asked: str) -> BestBeside | None:
    """None where none of them is a sweep."""
    if all(row.kind != "sweep" for row in rows):
        return None
    asked = asked.strip()
    above, trouble = _read(asked)
    if above is None:
        return BestBeside(_label(rows), asked, trouble, tuple(map(_, COLUMNS)), (), ())
    found = {row.id: best(row.kind, row.numbers, above) for row in rows if row.kind == "sweep"}
    told = [f"{name}: {note}" for name, of in found.items() for note in (*_of_best(of), *_left_out(of))]
    return BestBeside(
        label=_label(rows),
        asked=asked,
        trouble="",
        columns=tuple(map(_, COLUMNS)),
        lines=tuple(_line(row, found.get(row.id)) for row in rows),
        notes=(_(MEASURED_ALONE), *_not_alike(found.values()), *told),
    )


def _line(row: MeasurementRow, found: BestAnswer | None) -> BestLine:
    of = Link(row.id, f"/measurements/{row.id}")
    if found is None:
        return BestLine(of, (), _("It is no sweep of several loads, so none of them is the best."), None)
    cells = tuple(_cells(found.best, found)) if found.best else ()
    return BestLine(of, cells, "" if found.best else found.text, Link("JSON", _json_url(row, found.above)))


def _read(asked: str) -> tuple[float | None, str]:
    """The limit, or why it cannot be taken; neither while nothing is asked."""
    try:
        return (read_above(asked) if asked else None), ""
    except InvalidInputError as error:
        return None, plain(error.message)


def _json_url(row: MeasurementRow, above: float) -> str:
    return f"/api/v1/measurements/{row.id}/best?above={above:.15g}"


def _cells(load: BestLoad, found: BestAnswer) -> Iterator[str]:
    """By `COLUMNS`."""
    unit = "tok/s/GPU" if found.per_gpu else "tok/s"
    yield load_said(load.load)
    yield _ranged(load.total, load.total_range, unit)
    yield _ranged(load.output, load.output_range, unit)
    yield _ranged(load.interactivity, load.interactivity_range, UNIT)
    yield f"{shown(load.ttft_ms)} ms" if load.ttft_ms is not None else _("not stated")
    yield counted(load.repeats, "run")


def _ranged(value: float, within: Range | None, unit: str) -> str:
    if within is None:
        return _("{value} {unit}, one run").format(value=shown(value), unit=unit)
    return _("{value} {unit}, median; runs from {low} to {high}").format(
        value=shown(value), unit=unit, low=shown(within[0]), high=shown(within[1])
    )


def _not_alike(found: Iterable[BestAnswer]) -> Iterator[str]:
    if len({answer.per_gpu for answer in found}) > 1:
        yield _(
            "tok/s/GPU and tok/s are not the same: a machine without a GPU has the throughput of the whole machine."
        )


def _label(rows: Iterable[MeasurementRow]) -> str:
    """The question; it is one per GPU where every sweep that is asked has GPUs."""
    sweeps = [item for row in rows if row.kind == "sweep" for item in row.numbers["sets"]]
    most = (
        _("Most total tok/s per GPU (input + output)")
        if all(item["gpus"] for item in sweeps)
        else _("Most total tok/s (input + output)")
    )
    return _("{most} while 9 of 10 requests run faster than").format(most=most)


def _of_best(found: BestAnswer) -> Iterator[str]:
    """What a reader must know of the load that is the answer."""
    if said := unsteady(found):
        yield said
    if found.best and found.best.failed:
        yield _("{failed} of its {requests} failed; what they gave is in no throughput.").format(
            failed=number(found.best.failed), requests=counted(found.best.requests, "request")
        )
    if found.best and found.best.counted_at_end:
        yield _("Its tokens were counted at the end of each request, not with each event.")


def _left_out(found: BestAnswer) -> Iterator[str]:
    if found.left_out:
        yield _("Left out: {left_out}.").format(left_out="; ".join(found.left_out))

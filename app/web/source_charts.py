"""A source's ladders and tables -> chart, table of the same data, and CSV. Pure."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from app.claims.wording import number
from app.claims.words import ACCEPTANCE, acceptance
from app.language import _, as_number
from app.web.chart_csv import chart_csv
from app.web.plots import Bar, Break, grouped_figure, ladder_figure
from app.web.source_contexts import Cell, Figure, LadderPart, Step, TableLine, TablePart
from app.web.wording import number_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from app.catalogue.schema import Ladder, Source, Table
    from app.claims.schema import ClaimRow


def ladder_part(source: Source, ladder: Ladder, names: Mapping[str, ClaimRow]) -> LadderPart:
    breaks = {item.after: item for item in ladder.breaks}
    steps: list[Step] = []
    before: ClaimRow | None = None
    for place, step in enumerate(ladder.steps):
        row = names[step.claim]
        gap = breaks.get(ladder.steps[place - 1].claim) if place else None
        steps.append(
            Step(
                number=str(place + 1),
                label=step.label,
                kind=_(step.kind),
                value=number_parts(row),
                url=f"/claims/{row.id}",
                ratio="" if gap or before is None else _times(before.value, row.value),
                acceptance=acceptance(row.acceptance),
                break_title=gap.title if gap else "",
                break_reasons=gap.reasons if gap else (),
            )
        )
        before = row
    return LadderPart(
        id=ladder.id,
        title=ladder.title,
        locator=ladder.locator,
        unit=ladder.unit,
        steps=tuple(steps),
        figure=_ladder_figure(source, ladder, names),
    )


def _times(before: Decimal | None, after: Decimal | None) -> str:
    return as_number(f"{after / before:.2f}x") if before and after else ""


def _ladder_figure(source: Source, ladder: Ladder, names: Mapping[str, ClaimRow]) -> Figure:
    rows = [names[step.claim] for step in ladder.steps]
    bars = [_bar(row, step.label, step.kind) for row, step in zip(rows, ladder.steps, strict=True)]
    at = {step.claim: place for place, step in enumerate(ladder.steps, 1)}
    breaks = [Break(at[item.after], item.title) for item in ladder.breaks if at[item.after] < len(bars)]
    caption = [*_caveats(ladder, rows), _origin(source, ladder.locator)]
    data = ladder_figure(ladder.title, ladder.unit, bars, breaks, caption)
    return _figure(source, ladder, data)


def _figure(source: Source, part: Ladder | Table, data: dict[str, Any]) -> Figure:
    name = f"{source.id}-{part.id}"
    return Figure(f"chart-{part.id}", name, part.title, data, f"/sources/{source.id}/{part.id}.csv")


def _bar(row: ClaimRow, label: str, kind: str) -> Bar:
    forced = row.acceptance.kind in ("simulated", "synthetic")
    said = number(row.value) if row.value is not None else row.headline
    if forced:
        target = row.acceptance.target or row.acceptance.length
        said += f" ({_(ACCEPTANCE[row.acceptance.kind])}{f' {number(target)}' if target else ''})"
    return Bar(label, kind, None if row.value is None else float(row.value), said, hollow=forced)


def _caveats(ladder: Ladder, rows: Sequence[ClaimRow]) -> Iterator[str]:
    """What a reader of the picture alone must be told."""
    yield from _outlined(rows)
    for item in ladder.breaks:
        yield from (_("At the break: {reason}").format(reason=reason) for reason in item.reasons)
    for kind in ("prefill_not_counted", "quality_not_checked", "flawed_baseline"):
        said = (caveat.text for row in reversed(rows) for caveat in row.caveats if caveat.kind == kind)
        yield from islice(said, 1)


def _outlined(rows: Iterable[ClaimRow]) -> Iterator[str]:
    if any(row.acceptance.kind in ("simulated", "synthetic") for row in rows):
        yield _("Outlined bars: speculation at an acceptance that was set by a simulation, not earned.")


def _origin(source: Source, locator: str) -> str:
    address = source.url if source.url and source.url_seen_cited else _("address not linked")
    return _("Source: {publisher}, “{title}”, {date}, {locator}; {address}.").format(
        publisher=source.publisher,
        title=source.title,
        date=source.date or _("undated"),
        locator=locator,
        address=address,
    )


def table_part(source: Source, table: Table, names: Mapping[str, ClaimRow]) -> TablePart:
    return TablePart(
        id=table.id,
        title=table.title,
        caption=table.caption,
        locator=table.locator,
        row_heading=table.row_heading,
        columns=table.columns,
        rows=tuple(
            TableLine(
                label=row.label,
                note=row.note or "",
                cells=tuple(_cell([names[claim] for claim in cell]) for cell in row.cells),
            )
            for row in table.rows
        ),
        figure=_table_figure(source, table, names) if table.chart else None,
        csv_url=f"/sources/{source.id}/{table.id}.csv",
    )


def _cell(rows: Sequence[ClaimRow]) -> tuple[Cell, ...]:
    return tuple(
        Cell(number_parts(row), f"/claims/{row.id}", said)
        for row, said in zip(rows, _apart([row.title for row in rows]), strict=True)
    )


def _apart(titles: Sequence[str]) -> list[str]:
    """What tells the titles apart: their words without those that all begin and all end with."""
    if len(titles) < 2:
        return [""] * len(titles)
    words = [title.split() for title in titles]
    start = _shared(words)
    rest = [list(reversed(said[start:])) for said in words]
    end = _shared(rest)
    return [" ".join(reversed(said[end:])).strip(",; ") for said in rest]


def _shared(words: Sequence[Sequence[str]]) -> int:
    """How many words at the beginning are the same in all."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))


def _table_figure(source: Source, table: Table, names: Mapping[str, ClaimRow]) -> Figure:
    """A cell's first claim is its bar; the others (a change beside it) stand at the bar's end."""
    rows = []
    unit = ""
    for row in table.rows:
        bars = []
        for column, cell in zip(table.columns, row.cells, strict=True):
            claims = [names[claim] for claim in cell]
            unit = unit or (claims[0].unit if claims else "")
            bars.append(_cell_bar(column, claims))
        rows.append((row.label, bars))
    caption = [*_table_caveats(table, names), _origin(source, table.locator)]
    data = grouped_figure(table.title, unit, table.columns, rows, caption)
    return _figure(source, table, data)


def _table_caveats(table: Table, names: Mapping[str, ClaimRow]) -> list[str]:
    drawn = [names[cell[0]] for row in table.rows for cell in row.cells if cell]
    return [*_outlined(drawn), table.caption]


def _cell_bar(column: str, claims: Sequence[ClaimRow]) -> Bar:
    if not claims:
        return Bar(column, "", None, _("not stated"))
    bar = _bar(claims[0], column, "")
    further = "".join(f"  {row.headline}" for row in claims[1:])
    return Bar(column, "", bar.length, bar.printed + further, bar.hollow)


def ladder_csv(source: Source, ladder: Ladder, names: Mapping[str, ClaimRow]) -> str:
    """The ladder's data with its source and caveats as comment lines; a break is a line of its own."""
    rows = [names[step.claim] for step in ladder.steps]
    part = ladder_part(source, ladder, names)
    lines: list[Sequence[str]] = []
    for step, row in zip(part.steps, rows, strict=True):
        if step.break_title:
            lines.append(("", _("break: {break_title}").format(break_title=step.break_title), "", "", "", "", ""))
        value = "" if row.value is None else f"{row.value:f}"
        lines.append((step.number, step.label, step.kind, value, row.unit, step.acceptance, row.id))
    headings = ("step", "label", "kind", "value", "unit", "acceptance", "claim")
    return chart_csv([*_caveats(ladder, rows), _origin(source, ladder.locator)], headings, lines)


def table_csv(source: Source, table: Table, names: Mapping[str, ClaimRow]) -> str:
    """One line a claim, so that every number keeps its unit and its id."""
    lines: list[Sequence[str]] = []
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            for claim in cell:
                found = names[claim]
                value = "" if found.value is None else f"{found.value:f}"
                said = acceptance(found.acceptance)
                lines.append((row.label, column, value, found.unit, found.headline, said, claim))
    headings = ("row", "column", "value", "unit", "printed", "acceptance", "claim")
    return chart_csv([*_table_caveats(table, names), _origin(source, table.locator)], headings, lines)

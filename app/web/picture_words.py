"""What a picture of a claim, a comparison or a measurement says, as other sites show it beside a link. Pure.

The same as a quotation says: no number without what it measures, against what, and what to mind of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from app.claims.caveats import CAVEATS, said
from app.claims.quoting import TRACED, verified
from app.claims.wording import headline, number, with_unit
from app.claims.words import against, axis_name, conditions, measures
from app.compare.reproduction import WORDS
from app.compare.words import VERDICTS
from app.language import in_english

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import ClaimRow
    from app.compare.reproduction import Verdict
    from app.compare.schema import Comparison
    from app.protocol.outcome import Report

UNVERIFIED = "unverified"
RANDOM = "random weights"
TIMES = {"TTFT": "ttft_ms", "TPOT": "tpot_ms"}
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """`stamp`: whether anybody has measured it again, or what kind of statement it is. `caveats` are listed one by one;
    what does not fit is counted."""

    stamp: str
    lead: str
    rest: str
    lines: tuple[tuple[str, str], ...]
    caveats: tuple[str, ...]
    url: str


def said_by(picture: Picture) -> str:
    """The picture in words, for those who do not see it."""
    lines = [f"{name}: {text}" for name, text in picture.lines]
    told = (
        f"{picture.lead} {picture.rest} ({picture.stamp})",
        *lines,
        f"Mind: {'; '.join(picture.caveats) or 'nothing'}",
    )
    return ". ".join(text.rstrip(".") for text in told) + "."


@in_english
def of_claim(row: ClaimRow, root: str) -> Picture:
    """`root`: this server's address, without a slash at its end."""
    again = verified(row)
    where = (_engine(row), row.conditions.model.id or "model not stated", conditions(row))
    lines = [("Against", against(row.baseline)), ("On", ", ".join(part for part in where if part))]
    if again not in (UNVERIFIED, TRACED):
        lines.append(("Again", again))
    return Picture(
        stamp=again if again in (UNVERIFIED, TRACED) else "measured again",
        lead=headline(row),
        rest=measures(row),
        lines=tuple(lines),
        caveats=_caveats(row),
        url=f"{root}/cards/{row.card.id}" if row.card else f"{root}/claims/{row.id}",
    )


@in_english
def of_comparison(a: ClaimRow, b: ClaimRow, found: Comparison, root: str) -> Picture:
    """A ratio stands in it only where the verdict gives one."""
    lines = [
        (name, f"{headline(row)} on {_engine(row)}: {measures(row)}; against {against(row.baseline)}")
        for name, row in _sides(a, b)
    ]
    if found.ratio and found.ratio.text not in found.summary:
        lines.append(("Ratio", f"{found.ratio.text} ({found.ratio.conditions})"))
    both = {name: _caveats(row) for name, row in _sides(a, b)}
    shared = tuple(caveat for caveat in both["A"] if caveat in both["B"])
    alone = tuple(f"{name}: {caveat}" for name, told in both.items() for caveat in told if caveat not in shared)
    marks = {verified(row) for row in (a, b)}
    alike = next((mark for mark in (UNVERIFIED, TRACED) if marks == {mark}), "measured again")
    return Picture(
        stamp="one of two unverified" if UNVERIFIED in marks and len(marks) > 1 else alike,
        lead=f"{VERDICTS[found.verdict]}.",
        rest=found.summary,
        lines=tuple(lines),
        caveats=(*shared, *alone),
        url=f"{root}/compare?{urlencode([('ids', a.id), ('ids', b.id)])}",
    )


@in_english
def of_measurement(
    verdict: Verdict | None, claim: ClaimRow | None, what: str, url: str, report: Report, numbers: Json
) -> Picture:
    """`what`: what was run."""
    dummy = report.plan.on_random_weights
    if verdict is None:
        return _of_plain(what, url, report, numbers)
    measured = with_unit(number(verdict.measured), verdict.unit or "") if verdict.measured is not None else None
    lines = [("Verdict", verdict.text), ("Ran", what)]
    if claim:
        lines.insert(1, ("Against", f"{headline(claim)}: {claim.title}"))
    return Picture(
        stamp=WORDS[verdict.status],
        lead=measured or "No number",
        rest=axis_name(claim.axis) if claim else "its claim is not here",
        lines=tuple(lines),
        caveats=((RANDOM,) if dummy else ()) + (_caveats(claim) if claim else ()),
        url=url,
    )


def _of_plain(what: str, url: str, report: Report, numbers: Json) -> Picture:
    """Of one without a claim beside it: its highest output, and how far its loads reach."""
    work, valid = report.plan.workload, [item for item in numbers["sets"] if item["valid"]]
    lines = [("Ran", what), ("Requests", f"random, {work.input_tokens:,} tokens in, {work.output_tokens:,} out")]
    caveats = ((RANDOM,) if report.plan.on_random_weights else ()) + ("no claim stands beside it",)
    if not valid:
        return Picture("no result", "No number", "No load of it has a result.", tuple(lines), caveats, url)
    best = max(valid, key=lambda item: float(item["output_tok_s"]))
    alone = f" of {len(valid)} loads" if len(valid) > 1 else ""
    lines += [(place, f"{item['load']}: {_both(item)}") for place, item in _ends(valid)]
    rest = f"output throughput at {best['load']}, {'the highest' + alone + ', ' if alone else ''}{best['label']}"
    return Picture("measured", f"{float(best['output_tok_s']):,.0f} tok/s", rest, tuple(lines), caveats, url)


def _engine(row: ClaimRow) -> str:
    given = row.conditions.engine
    return " ".join(word for word in (given.name, given.version) if word) or "an engine that is not stated"


def _ends(valid: Sequence[Json]) -> list[tuple[str, Json]]:
    return [("First load", valid[0]), ("Last load", valid[-1])] if len(valid) > 1 else [("Load", valid[0])]


def _both(item: Json) -> str:
    times = [f"{name} {float(found['median']):,.3g} ms" for name, key in TIMES.items() if (found := item[key])]
    return ", ".join((f"{float(item['output_tok_s']):,.0f} tok/s", *times))


def _sides(a: ClaimRow, b: ClaimRow) -> tuple[tuple[str, ClaimRow], tuple[str, ClaimRow]]:
    return ("A", a), ("B", b)


def _caveats(row: ClaimRow) -> tuple[str, ...]:
    return tuple(dict.fromkeys(CAVEATS[kind] for kind, _ in said(row)))

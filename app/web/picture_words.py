"""What a picture of a claim, a comparison or a measurement says, as other sites show it beside a link. Pure.

The same as a quotation says: no number without what it measures, against what, and what to mind of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from app.claims.caveats import CAVEATS, said
from app.claims.quoting import verified
from app.claims.wording import number, with_unit
from app.claims.words import against, axis_name, conditions, measures
from app.compare.reproduction import WORDS
from app.compare.words import VERDICTS

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow
    from app.compare.reproduction import Verdict
    from app.compare.schema import Comparison

UNVERIFIED = "unverified"
RANDOM = "random weights"


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


def of_claim(row: ClaimRow, root: str) -> Picture:
    """`root`: this server's address, without a slash at its end."""
    again = verified(row)
    engine = " ".join(word for word in (row.conditions.engine.name, row.conditions.engine.version) if word)
    where = (engine or "engine not stated", row.conditions.model.id or "model not stated", conditions(row))
    lines = [("Against", against(row.baseline)), ("On", ", ".join(part for part in where if part))]
    if again != UNVERIFIED:
        lines.append(("Again", again))
    return Picture(
        stamp=UNVERIFIED if again == UNVERIFIED else "measured again",
        lead=row.headline,
        rest=measures(row),
        lines=tuple(lines),
        caveats=_caveats(row),
        url=f"{root}/cards/{row.card.id}" if row.card else f"{root}/claims/{row.id}",
    )


def of_comparison(a: ClaimRow, b: ClaimRow, found: Comparison, root: str) -> Picture:
    """A ratio stands in it only where the verdict gives one."""
    lines = [(name, f"{row.headline}: {measures(row)}; against {against(row.baseline)}") for name, row in _sides(a, b)]
    if found.ratio and found.ratio.text not in found.summary:
        lines.append(("Ratio", f"{found.ratio.text} ({found.ratio.conditions})"))
    both = {name: _caveats(row) for name, row in _sides(a, b)}
    shared = tuple(caveat for caveat in both["A"] if caveat in both["B"])
    alone = tuple(f"{name}: {caveat}" for name, told in both.items() for caveat in told if caveat not in shared)
    marks = {verified(row) == UNVERIFIED for row in (a, b)}
    return Picture(
        stamp=UNVERIFIED if marks == {True} else "one of two unverified" if True in marks else "measured again",
        lead=f"{VERDICTS[found.verdict]}.",
        rest=found.summary,
        lines=tuple(lines),
        caveats=(*shared, *alone),
        url=f"{root}/compare?{urlencode([('ids', a.id), ('ids', b.id)])}",
    )


def of_measurement(verdict: Verdict | None, claim: ClaimRow | None, what: str, url: str, *, dummy: bool) -> Picture:
    """`what`: what was run; `dummy`: it ran on random weights."""
    if verdict is None:
        return Picture("measured", what, "No claim stands beside it.", (), (RANDOM,) if dummy else (), url)
    measured = with_unit(number(verdict.measured), verdict.unit or "") if verdict.measured is not None else None
    lines = [("Verdict", verdict.text), ("Ran", what)]
    if claim:
        lines.insert(1, ("Against", f"{claim.headline}: {claim.title}"))
    return Picture(
        stamp=WORDS[verdict.status],
        lead=measured or "No number",
        rest=axis_name(claim.axis) if claim else "its claim is not here",
        lines=tuple(lines),
        caveats=((RANDOM,) if dummy else ()) + (_caveats(claim) if claim else ()),
        url=url,
    )


def _sides(a: ClaimRow, b: ClaimRow) -> tuple[tuple[str, ClaimRow], tuple[str, ClaimRow]]:
    return ("A", a), ("B", b)


def _caveats(row: ClaimRow) -> tuple[str, ...]:
    return tuple(dict.fromkeys(CAVEATS[kind] for kind, _ in said(row)))

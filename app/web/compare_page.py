"""Claims set side by side -> the comparison's page: verdict first, then reasons, then every condition. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from app.claims.caveats import WORDS
from app.claims.wording import reworded
from app.claims.words import SCOPES, STATED_IN, against, axis_name, axis_of, fact_words
from app.compare.conditions import COMPARED
from app.compare.quoting import quote_comparison, unsaid_ratio
from app.compare.words import VERDICTS
from app.language import N_, _, in_english
from app.protocol.english import counted
from app.web.badge_svg import compared_snippet
from app.web.claim_page import caveats, reason_line
from app.web.claim_row import cells, label
from app.web.contexts import (
    Choice,
    ChoosePage,
    ComparePage,
    Derived,
    Fact,
    Neighbour,
    PairPart,
    ReasonLine,
    Shell,
    SideCaveats,
    SideLine,
    Told,
)
from app.web.picture_words import of_comparison, said_by
from app.web.shared_contexts import SharedAs
from app.web.state import address
from app.web.wording import KINDS, again, or_not_stated, stated_day

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.catalogue.pairs import Pair
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison, Reason
    from app.web.contexts import Trouble

MOST = 4
DIFFERENT = {"differs", "apart"}  # what cannot be matched counts as two things, as it does in the verdict
ABOUT = N_("Published LLM-serving numbers side by side: whether they can be compared, and every reason why not.")

# What is set side by side besides the conditions.
FRAME: dict[str, Callable[[ClaimRow], str | None]] = {
    N_("number"): lambda row: row.headline,
    N_("what it measures"): axis_of,
    N_("kind of number"): lambda row: _(KINDS[row.kind]),
    N_("scope"): lambda row: _(SCOPES[row.scope]),
    N_("against"): lambda row: None if row.baseline.kind == "not_stated" else against(row.baseline),
    N_("runs"): lambda row: row.runs,
    N_("evidence"): lambda row: f"{_(STATED_IN[row.stated_in])}: {row.locator}",
    N_("published"): lambda row: row.source.date and stated_day(row.source.date),
    N_("publisher"): lambda row: f"{row.source.publisher} ({row.source.interest})",
}


def _shared(a: ClaimRow, b: ClaimRow, found: Comparison, root: str) -> SharedAs | None:
    """How a link to a comparison of two is shown elsewhere."""
    if a.id == b.id:
        return None
    asked = urlencode([("ids", a.id), ("ids", b.id)])
    alt = said_by(of_comparison(a, b, found, root))
    return SharedAs(f"{root}/compare?{asked}", f"{root}/compare/picture.png?{asked}", alt)


def compare_page(
    rows: Sequence[ClaimRow],
    verdict: Callable[[ClaimRow, ClaimRow], Comparison],
    known: Sequence[Pair],
    troubles: Sequence[Trouble],
    root: str,
) -> ComparePage:
    """Two to four claims: the verdict on each pair, then everything that is known of them, what differs first.
    `known` are pairs that are often set against each other, with what to know of them; `root`: this site's address."""
    know = {frozenset((pair.a, pair.b)): pair.why for pair in known}
    compared = [(a, b, verdict(a, b)) for a, b in combinations(rows, 2)]
    pairs = tuple(pair_part(a, b, found, know.get(frozenset((a.id, b.id)), "")) for a, b, found in compared)
    two = compared[0] if len(rows) == 2 else None  # of more there is no picture, quotation or badge
    sent = travelling(*two, verdict) if two else None
    told = tuple(SideCaveats(row.headline, _to_mind(row)) for row in rows)
    differing, unknown, equal = side_by_side(rows)
    ids = [("ids", row.id) for row in rows]
    title = f" {_('and')} ".join(row.headline for row in rows)
    return ComparePage(
        shell=Shell(
            _("{title}: {verdict}").format(title=title, verdict=pairs[0].word.lower())
            if two
            else _("{title}, compared").format(title=title),
            pairs[0].summary,
            "/compare",
            _shared(*sent, root) if sent else None,
        ),
        heading=_("{title}: can they be compared?").format(title=title),
        troubles=tuple(troubles),
        sides=tuple(cells(row) for row in rows),
        pairs=pairs,
        caveats=told if any(side.told for side in told) else (),
        caveats_count=_("Caveats ({counts})").format(counts=f" {_('and')} ".join(str(len(side.told)) for side in told)),
        differing=differing,
        unknown=unknown,
        equal=equal,
        quoted=quote_comparison(*sent, root) if sent else None,
        add_url=address("/", ids) if len(rows) < MOST else "",
        badge=compared_snippet(urlencode(ids), two[2].verdict, root) if two else None,
        json_url=address("/api/v1/compare", [("a", rows[0].id), ("b", rows[1].id)]) if len(rows) == 2 else "",
    )


@in_english
def travelling(
    a: ClaimRow, b: ClaimRow, found: Comparison, verdict: Callable[[ClaimRow, ClaimRow], Comparison]
) -> tuple[ClaimRow, ClaimRow, Comparison]:
    """The two and their comparison, of which `found` is what the page says, as they are quoted elsewhere."""
    one, two = reworded(a), reworded(b)
    return one, two, found if (one, two) == (a, b) else verdict(one, two)


def _to_mind(row: ClaimRow) -> tuple[Told, ...]:
    told = (Told(_(WORDS["contradicted"]), again(item.text), again(item.locator or "")) for item in row.contradictions)
    return (*told, *caveats(row))


def pair_part(a: ClaimRow, b: ClaimRow, found: Comparison, know: str) -> PairPart:
    unknown = [reason for reason in found.reasons if reason.severity == "not_stated"]
    return PairPart(
        a=label(a),
        b=label(b),
        a_number=a.headline,
        b_number=b.headline,
        verdict=found.verdict,
        word=_(VERDICTS[found.verdict]),
        summary=found.summary,
        know=again(know),
        url=address("/compare", [("ids", a.id), ("ids", b.id)]),
        reasons=tuple(_reason(reason, a, b) for reason in found.reasons if reason.severity != "not_stated"),
        unknown=tuple(reason_line(reason) for reason in unknown),
        unknown_count=_("Not stated by at least one ({unknown})").format(unknown=len(unknown)),
        ratio=unsaid_ratio(found),
        derivations=tuple(Derived(item.title, item.text, item.assumption) for item in found.derivations),
        other_axes=tuple(
            Fact(axis_name(item.axis), item.message, url=address("/compare", [("ids", item.a), ("ids", item.b)]))
            for item in found.other_axes
        ),
    )


def _reason(reason: Reason, a: ClaimRow, b: ClaimRow) -> ReasonLine:
    line = reason_line(reason)
    return replace(line, a_url=f"/axes#{a.axis}", b_url=f"/axes#{b.axis}") if reason.field == "axis" else line


def side_by_side(
    rows: Sequence[ClaimRow],
) -> tuple[tuple[SideLine, ...], tuple[SideLine, ...], tuple[SideLine, ...]]:
    """Lines that differ, lines that at least one claim does not state, and lines that are equal."""
    groups: tuple[list[SideLine], list[SideLine], list[SideLine]] = ([], [], [])
    for name, read in FRAME.items():
        said = [read(row) for row in rows]
        place = 1 if None in said else 0 if len(set(said)) > 1 else 2
        urls = [f"/axes#{row.axis}" for row in rows] if read is axis_of else None
        groups[place].append(_line(_(name), said, urls))
    for field, fact in COMPARED.items():
        states = {fact.state(a, b) for a, b in combinations(rows, 2)}
        place = 0 if states & DIFFERENT else 1 if "not_stated" in states else 2
        given = [fact.read(row) for row in rows]
        groups[place].append(_line(_(fact.label), [text and fact_words(field, text) for text in given]))
    return tuple(groups[0]), tuple(groups[1]), tuple(groups[2])


def _line(name: str, said: Sequence[str | None], urls: Sequence[str] | None = None) -> SideLine:
    links = urls or [""] * len(said)
    values = (Fact("", or_not_stated(text), text is not None, url) for text, url in zip(said, links, strict=True))
    return SideLine(name, tuple(values))


@dataclass(frozen=True)
class Found:
    """What a search on /compare gave: its most important claims, and of how many."""

    q: str
    rows: tuple[ClaimRow, ...]
    total: int


def _said(found: Found) -> str:
    if not found.total:
        return _("No claim has every word of “{q}”. Search for one word less.").format(q=found.q)
    more = (
        _("; the {rows} most important are shown").format(rows=len(found.rows)) if found.total > len(found.rows) else ""
    )
    return _("{total} found{more}. Choose 2 to 4, then compare.").format(total=counted(found.total, "claim"), more=more)


def _offered(row: ClaimRow, *, chosen: bool) -> Choice:
    return Choice(f"pick-{row.id}", "ids", row.id, f"{label(row)}: {row.title}", chosen=chosen)


def choose_page(
    rows: Sequence[ClaimRow], found: Found | None, often: Sequence[Pair], troubles: Sequence[Trouble]
) -> ChoosePage:
    """For fewer than two claims: what is chosen so far, what a search `found`, pairs that people set against each
    other."""
    chosen = {row.id for row in rows}
    hits = [row for row in found.rows if row.id not in chosen] if found else []
    return ChoosePage(
        shell=Shell(_("Compare"), _(ABOUT), "/compare"),
        troubles=tuple(troubles),
        chosen=tuple(_offered(row, chosen=True) for row in rows),
        q=found.q if found else "",
        found=tuple(_offered(row, chosen=False) for row in hits),
        said=_said(found) if found else "",
        neighbours=tuple(
            Neighbour(again(pair.title), again(pair.why), address("/compare", [("ids", pair.a), ("ids", pair.b)]))
            for pair in often
        ),
        table_url=address("/", [("ids", row.id) for row in rows]),
    )

"""A card with its surroundings -> the context of its page. Pure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from app.axes import AXES
from app.cards.caveats import caveats as card_caveats
from app.cards.completeness import completeness, questions
from app.cards.diff import statements
from app.cards.fields import FIELDS, leaves
from app.cards.row import RETRACTED, card_row, title
from app.claims.caveats import CAVEATS
from app.claims.quoting import quote_claim
from app.claims.wording import reworded
from app.claims.words import NOT_STATED, axis_name
from app.compare.words import capital
from app.language import N_, _, as_number, moment
from app.web.card_begin import titled
from app.web.card_contexts import CardPage, FactGroup, Judged, Repeats, Stated
from app.web.card_revisions_page import revision_lines
from app.web.claim_page import configurations_url, shared
from app.web.claim_row import cells
from app.web.claim_row import label as claim_label
from app.web.compare_page import pair_part
from app.web.contexts import Fact, Link, Neighbour, Shell, Told
from app.web.state import address
from app.web.wording import again, card_title, field_name, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.cards.queries import CardRow
    from app.cards.record import CardRecord, Revision
    from app.cards.rules import Finding
    from app.cards.schema import Card
    from app.claims.schema import Claim, ClaimRow
    from app.compare.schema import Comparison

ABOUT = N_("A bench card: one measurement's conditions and result, and what is needed to judge it.")
# A card's blocks as people think of them; what is not here stands elsewhere on the page.
GROUPS = {
    N_("What ran"): ("engine", "model", "dtypes", "speculation", "approximations"),
    N_("On what"): ("hardware", "parallelism"),
    N_("How it was loaded"): ("workload",),
    N_("What came out"): ("metric", "result", "runs", "also"),
    N_("What is left out, and what backs it"): ("excludes", "quality", "source", "raw", "note"),
}
NUMBERS = {path for path, kind, _ in leaves() if kind.startswith("number")}
SEVERITIES = {"error": N_("error"), "warning": N_("warning")}
YES_OR_NO = {path for path, kind, _ in leaves() if kind == "yes or no"}
SHARED: tuple[tuple[str, Callable[[ClaimRow], str | None]], ...] = (
    (N_("model"), lambda row: row.conditions.model.id),
    (N_("axis"), lambda row: row.axis),
    ("GPU", lambda row: row.conditions.hardware.accelerator),
    (N_("engine"), lambda row: row.conditions.engine.name),
)


@dataclass(frozen=True)
class Around:
    """What a card's page shows besides the card. `claim` is the one that it repeats, with the verdict on the two."""

    revisions: Sequence[Revision]
    claim: ClaimRow | None = None
    verdict: Comparison | None = None
    related: Sequence[ClaimRow] = ()
    repeated_by: Sequence[CardRow] = ()
    measured_in: Sequence[str] = ()  # measurements whose traces it names
    root: str = field(kw_only=True)  # this server's address
    may_change: bool = field(default=False, kw_only=True)


def card_page(record: CardRecord, around: Around) -> CardPage:
    card, url = record.card, f"/cards/{record.id}"
    row, heading = claim_row(record), titled(record)
    newest = record.revision.number == record.newest
    at = "" if newest else f"?revision={record.revision.number}"
    shown = cells(row) if row else None
    return CardPage(
        shell=Shell(
            f"{row.headline}: {heading}" if row else heading,
            _(ABOUT),
            "/cards",
            shared(row, around.root) if row else None,
        ),
        cells=shown,
        heading=card_title(title(record).removeprefix(RETRACTED), card.metric.axis if card.metric else None),
        id=record.id,
        retracted=_retracted(record),
        earlier=None if newest else Link(_("the newest is {newest}").format(newest=record.newest), url),
        measures=_measures(card),
        acts=tuple(_acts(record, row)),
        downloads=(Link("YAML", f"/api/v1/cards/{record.id}.yaml{at}"), Link("JSON", f"/api/v1/cards/{record.id}{at}")),
        edit_url=f"{url}/edit" if around.may_change else "",
        retract_url=f"{url}/retract" if around.may_change else "",
        stated=stated(card, _named(record)),
        caveats=tuple(Told(_(CAVEATS[item.kind]), again(item.text), "") for item in card_caveats(record)),
        findings=tuple(judged(item) for item in record.revision.findings),
        groups=tuple(_groups(card)),
        command=command(card),
        repeats=_repeats(record, row, around),
        repeated_by=tuple(Link(card_title(item.title, item.axis), f"/cards/{item.id}") for item in around.repeated_by),
        record=(*_record(record), *(_traces(item) for item in around.measured_in)),
        revisions=revision_lines(record.id, around.revisions, record.revision.number),
        revisions_url=f"{url}/revisions",
        related=tuple(_neighbour(row, other) for other in around.related) if row else (),
        quoted=quote_claim(row, around.root) if row else None,
    )


def _named(record: CardRecord) -> str:
    """What a letter names a card by: in English, as the letter is."""
    row = card_row(record)
    return row.headline if row else title(record)


def claim_row(record: CardRecord) -> ClaimRow | None:
    """A card's row in the claims table, with its number as the language writes it."""
    row = card_row(record)
    return reworded(row) if row else None


def _retracted(record: CardRecord) -> str:
    gone = record.retraction
    if gone is None:
        return ""
    form = _("Taken back on {at} by {by}: {reason}")
    return form.format(at=moment(gone.at), by=gone.by, reason=gone.reason)


def _measures(card: Card) -> Fact:
    axis = AXES.get(card.metric.axis) if card.metric else None
    if axis is None:
        return Fact(_(NOT_STATED), "", stated=False)
    return Fact(axis_name(axis.key), _(axis.definition), url=f"/axes#{axis.key}")


def _acts(record: CardRecord, row: ClaimRow | None) -> Iterator[Link]:
    yield Link(_("Duplicate"), address("/cards/new", [("from", record.id)]))
    if record.retraction is None:
        yield Link(_("Reproduce"), f"/cards/{record.id}/reproduce")
    if row is None or record.retraction:
        return
    yield Link(_("Record a repeat"), address("/cards/new", [("claim", record.id)]))
    yield Link(_("Compare with a claim"), address("/", [("ids", record.id)]))
    if both := configurations_url(row):
        yield Link(_("Low latency and high throughput together"), both)


def stated(card: Card, number: str) -> Stated:
    """`number` is what the letter names the card by."""
    open_ = questions(card)
    percent = completeness(card)
    asked = "\n".join(f"- {need.question} ({need.field})" for need in open_)
    letter = f"About your number {number}: to repeat it, these are not stated yet.\n{asked}" if open_ else ""
    return Stated(
        percent=percent,
        text=_("{percent} % of what a reproduction needs is stated").format(percent=percent),
        questions=tuple(Fact(field_name(need.field), _(need.question)) for need in open_),
        letter=letter,
    )


def judged(finding: Finding) -> Judged:
    return Judged(
        rule=Link(finding.rule, f"/cards/schema#{finding.rule}"),
        severity=finding.severity,
        word=_(SEVERITIES[finding.severity]),
        field=field_name(finding.field) if finding.field else "",
        message=told(finding.message),
    )


def _groups(card: Card) -> Iterator[FactGroup]:
    said = statements(card)
    for heading, blocks in GROUPS.items():
        facts = [_fact(path, said[path]) for block in blocks for path in said if path.partition(".")[0] == block]
        off = (
            card.speculation is not None and card.speculation.method == "off"
        )  # there is nothing to say of drafts then
        missing = [
            field_name(path)
            for path in _expected(blocks)
            if path not in said and not (off and path.startswith("speculation."))
        ]
        if missing:
            facts.append(Fact(capital(_(NOT_STATED)), ", ".join(missing), stated=False))
        yield FactGroup(_(heading), tuple(facts))


def _expected(blocks: Iterable[str]) -> list[str]:
    """The fields whose absence is worth a word; parallelism has eight, of which a deployment sets one or two."""
    found = [path for path in FIELDS if path.partition(".")[0] in blocks and "[]" not in path]
    return [path for path in found if not path.startswith("parallelism.")]


def _fact(path: str, text: str) -> Fact:
    unit = FIELDS[path].unit if path in FIELDS else ""
    if path in YES_OR_NO:
        text = _("yes") if text == "true" else _("no")
    if path == "metric.axis":
        return Fact(field_name(path), axis_name(text), url=f"/axes#{text}")
    if path == "source" and text.startswith(("https://", "http://")) and not any(char.isspace() for char in text):
        return Fact(field_name(path), text, url=text)
    number = as_number(text) if path in NUMBERS else text
    return Fact(field_name(path), f"{number} {_(unit)}" if unit and text.replace(".", "").isdigit() else number)


def command(card: Card) -> str:
    """The launch command as a shell would take it, the environment before it."""
    if card.launch is None:
        return ""
    lines = [f"{name}={shlex.quote(value)}" for name, value in (card.launch.env or {}).items()]
    if card.launch.argv:
        lines.append(shlex.join(card.launch.argv))
    return " \\\n".join(lines)


def _repeats(record: CardRecord, row: ClaimRow | None, around: Around) -> Repeats | None:
    given = record.card.repeats
    if given is None:
        return None
    if around.claim is None:
        return Repeats(Link(given, ""), _("This server does not have that claim, so nothing can be compared."), None)
    link = Link(claim_label(around.claim), f"/claims/{given}")
    if row is None or around.verdict is None:
        return Repeats(link, _("There is no result yet, so nothing can be compared."), None)
    return Repeats(link, "", pair_part(around.claim, row, around.verdict, ""))


def _record(record: CardRecord) -> Iterator[Fact]:
    yield Fact(_("Card"), record.id)
    recorded = _("{at} by {author}").format(at=moment(record.created), author=record.author)
    yield Fact(_("Recorded"), recorded)
    revision = _("{number} of {newest}, {at}")
    number, at = record.revision.number, moment(record.revision.at)
    yield Fact(_("Revision"), revision.format(number=number, newest=record.newest, at=at))
    if record.has_number:
        yield Fact(_("In the table"), _("as a claim"), url=f"/claims/{quote(record.id)}")


def _traces(measurement: str) -> Fact:
    return Fact(
        _("Its raw files"),
        _("traces kept in measurement {id}").format(id=measurement),
        url=f"/measurements/{measurement}",
    )


def _neighbour(row: ClaimRow, other: ClaimRow) -> Neighbour:
    same = [_(name) for name, read in SHARED if read(row) and read(row) == read(other)]
    why = _("{title} (same {what})").format(title=other.title, what=", ".join(same))
    return Neighbour(claim_label(other), why, address("/compare", _ids(row, other)))


def _ids(*rows: Claim) -> list[tuple[str, str]]:
    return [("ids", row.id) for row in rows]

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
from app.cards.fields import FIELDS, label, leaves
from app.cards.row import card_row, title
from app.claims.caveats import CAVEATS
from app.claims.quoting import quote_claim
from app.claims.words import NOT_STATED, axis_name
from app.web.card_contexts import CardPage, FactGroup, Judged, Repeats, Stated
from app.web.card_revisions_page import moment, revision_lines
from app.web.claim_page import configurations_url, shared
from app.web.claim_row import cells
from app.web.claim_row import label as claim_label
from app.web.compare_page import pair_part
from app.web.contexts import Fact, Link, Neighbour, Shell, Told
from app.web.state import address
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.cards.queries import CardRow
    from app.cards.record import CardRecord, Revision
    from app.cards.rules import Finding
    from app.cards.schema import Card
    from app.claims.schema import Claim, ClaimRow
    from app.compare.schema import Comparison

ABOUT = "A bench card: one measurement's conditions and result, and what is needed to judge it."
# A card's blocks as people think of them; what is not here stands elsewhere on the page.
GROUPS = {
    "What ran": ("engine", "model", "dtypes", "speculation", "approximations"),
    "On what": ("hardware", "parallelism"),
    "How it was loaded": ("workload",),
    "What came out": ("metric", "result", "runs", "also"),
    "What is left out, and what backs it": ("excludes", "quality", "source", "raw", "note"),
}
YES_OR_NO = {path for path, kind, _ in leaves() if kind == "yes or no"}
SHARED: tuple[tuple[str, Callable[[ClaimRow], str | None]], ...] = (
    ("model", lambda row: row.conditions.model.id),
    ("axis", lambda row: row.axis),
    ("GPU", lambda row: row.conditions.hardware.accelerator),
    ("engine", lambda row: row.conditions.engine.name),
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
    card, row, url = record.card, card_row(record), f"/cards/{record.id}"
    newest = record.revision.number == record.newest
    at = "" if newest else f"?revision={record.revision.number}"
    shown = cells(row) if row else None
    return CardPage(
        shell=Shell(
            f"{row.headline}: {title(record)}" if row else title(record),
            ABOUT,
            "/cards",
            shared(row, around.root) if row else None,
        ),
        cells=shown,
        heading=title(record).removeprefix("Retracted: "),
        id=record.id,
        retracted=_retracted(record),
        earlier=None if newest else Link(f"the newest is {record.newest}", url),
        measures=_measures(card),
        acts=tuple(_acts(record, row)),
        downloads=(Link("YAML", f"/api/v1/cards/{record.id}.yaml{at}"), Link("JSON", f"/api/v1/cards/{record.id}{at}")),
        edit_url=f"{url}/edit" if around.may_change else "",
        retract_url=f"{url}/retract" if around.may_change else "",
        stated=stated(card, row.headline if row else title(record)),
        caveats=tuple(Told(CAVEATS[item.kind], item.text, "") for item in card_caveats(record)),
        findings=tuple(judged(item) for item in record.revision.findings),
        groups=tuple(_groups(card)),
        command=command(card),
        repeats=_repeats(record, row, around),
        repeated_by=tuple(Link(item.title, f"/cards/{item.id}") for item in around.repeated_by),
        record=(*_record(record), *(_traces(item) for item in around.measured_in)),
        revisions=revision_lines(record.id, around.revisions, record.revision.number),
        revisions_url=f"{url}/revisions",
        related=tuple(_neighbour(row, other) for other in around.related) if row else (),
        quoted=quote_claim(row, around.root) if row else None,
    )


def _retracted(record: CardRecord) -> str:
    gone = record.retraction
    return f"Taken back on {moment(gone.at)} by {gone.by}: {gone.reason}" if gone else ""


def _measures(card: Card) -> Fact:
    axis = AXES.get(card.metric.axis) if card.metric else None
    if axis is None:
        return Fact(NOT_STATED, "", stated=False)
    return Fact(axis_name(axis.key), axis.definition, url=f"/axes#{axis.key}")


def _acts(record: CardRecord, row: ClaimRow | None) -> Iterator[Link]:
    yield Link("Duplicate", address("/cards/new", [("from", record.id)]))
    if record.retraction is None:
        yield Link("Reproduce", f"/cards/{record.id}/reproduce")
    if row is None or record.retraction:
        return
    yield Link("Measure it again", address("/cards/new", [("claim", record.id)]))
    yield Link("Compare with a claim", address("/", [("ids", record.id)]))
    if both := configurations_url(row):
        yield Link("Low latency and high throughput together", both)


def stated(card: Card, number: str) -> Stated:
    """`number` is what the letter names the card by."""
    open_ = questions(card)
    percent = completeness(card)
    asked = "\n".join(f"- {need.question} ({need.field})" for need in open_)
    letter = f"About your number {number}: to repeat it, these are not stated yet.\n{asked}" if open_ else ""
    return Stated(
        percent=percent,
        text=f"{percent} % of what a reproduction needs is stated",
        questions=tuple(Fact(label(need.field), need.question) for need in open_),
        letter=letter,
    )


def judged(finding: Finding) -> Judged:
    return Judged(
        rule=Link(finding.rule, f"/cards/schema#{finding.rule}"),
        severity=finding.severity,
        field=label(finding.field) if finding.field else "",
        message=plain(finding.message),
    )


def _groups(card: Card) -> Iterator[FactGroup]:
    said = statements(card)
    for heading, blocks in GROUPS.items():
        facts = [_fact(path, said[path]) for block in blocks for path in said if path.partition(".")[0] == block]
        off = said.get("speculation.method") == "off"  # then there is nothing to say of drafts
        missing = [
            label(path)
            for path in _expected(blocks)
            if path not in said and not (off and path.startswith("speculation."))
        ]
        if missing:
            facts.append(Fact(NOT_STATED.capitalize(), ", ".join(missing), stated=False))
        yield FactGroup(heading, tuple(facts))


def _expected(blocks: Iterable[str]) -> list[str]:
    """The fields whose absence is worth a word; parallelism has eight, of which a deployment sets one or two."""
    found = [path for path in FIELDS if path.partition(".")[0] in blocks and "[]" not in path]
    return [path for path in found if not path.startswith("parallelism.")]


def _fact(path: str, text: str) -> Fact:
    unit = FIELDS[path].unit if path in FIELDS else ""
    if path in YES_OR_NO:
        text = "yes" if text == "true" else "no"
    if path == "metric.axis":
        return Fact(label(path), axis_name(text), url=f"/axes#{text}")
    if path == "source" and text.startswith(("https://", "http://")) and not any(char.isspace() for char in text):
        return Fact(label(path), text, url=text)
    return Fact(label(path), f"{text} {unit}" if unit and text.replace(".", "").isdigit() else text)


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
        return Repeats(Link(given, ""), "This server does not have that claim, so nothing can be compared.", None)
    link = Link(claim_label(around.claim), f"/claims/{given}")
    if row is None or around.verdict is None:
        return Repeats(link, "There is no result yet, so nothing can be compared.", None)
    return Repeats(link, "", pair_part(around.claim, row, around.verdict, ""))


def _record(record: CardRecord) -> Iterator[Fact]:
    yield Fact("Card", record.id)
    yield Fact("Recorded", f"{moment(record.created)} by {record.author}")
    yield Fact("Revision", f"{record.revision.number} of {record.newest}, {moment(record.revision.at)}")
    if record.has_number:
        yield Fact("In the table", "as a claim", url=f"/claims/{quote(record.id)}")


def _traces(measurement: str) -> Fact:
    return Fact("Its raw files", f"traces kept in measurement {measurement}", url=f"/measurements/{measurement}")


def _neighbour(row: ClaimRow, other: ClaimRow) -> Neighbour:
    same = [name for name, read in SHARED if read(row) and read(row) == read(other)]
    why = f"{other.title} (same {', '.join(same)})"
    return Neighbour(claim_label(other), why, address("/compare", _ids(row, other)))


def _ids(*rows: Claim) -> list[tuple[str, str]]:
    return [("ids", row.id) for row in rows]

"""A source with its claims -> the context of its page. Pure."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from app.claims.conditions import FIELDS
from app.language import N_, _, day, number
from app.web.claim_page import contradictions, corrections, links, stated
from app.web.claim_row import table_row
from app.web.claim_table import HINTS, claim_rows
from app.web.contexts import Fact, Link, Shell, Told
from app.web.source_charts import ladder_part, table_part
from app.web.source_contexts import CommandPart, SourceDetail, SourceLine, SourcesPage
from app.web.state import TableState
from app.web.wording import again, or_not_stated, stated_day

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.catalogue.schema import Command, Round, Source
    from app.claims.queries import SourceRow
    from app.claims.schema import ClaimRow

ABOUT = N_(
    "The posts, pull requests and pages that the numbers stand in, with who wrote them and what they have at stake."
)
TYPES = {
    "blog": N_("blog"),
    "pull_request": N_("pull request"),
    "benchmark_pr": N_("benchmark pr"),
    "third_party_measurement": N_("third party measurement"),
    "community_post": N_("community post"),
    "documentation": N_("documentation"),
    "test_suite": N_("test suite"),
    "own_measurement": N_("own measurement"),
}
TOPICS = {
    "configuration": N_("Configuration"),
    "accuracy": N_("Accuracy"),
    "protocol": N_("Protocol"),
    "pins": N_("Pins"),
    "workload": N_("Workload"),
    "metric": N_("Metric"),
    "rules": N_("Rules"),
    "history": N_("History"),
    "not_quantified": N_("Named without a number"),
    "independence": N_("Independence"),
}


def sources_page(rows: Sequence[SourceRow]) -> SourcesPage:
    return SourcesPage(
        shell=Shell(_("Sources"), _(ABOUT), "/sources"),
        rows=tuple(
            SourceLine(
                title=row.title,
                url=f"/sources/{row.id}",
                publisher=row.publisher,
                interest=row.interest,
                kind=_(TYPES[row.type]),
                date=or_not_stated(row.date and stated_day(row.date)),
                claims=number(row.claims),
                summary=row.summary,
            )
            for row in rows
        ),
        json_url="/api/v1/sources",
    )


def source_page(source: Source, rows: Sequence[ClaimRow], named: Mapping[str, ClaimRow]) -> SourceDetail:
    """`rows`: the source's own claims; `named`: these and every other claim that the source mentions, by id."""
    names = dict(named)
    return SourceDetail(
        shell=Shell(source.title, source.summary, "/sources"),
        title=source.title,
        summary=source.summary,
        facts=tuple(_facts(source, len(rows))),
        parts=_parts(source),
        charts=bool(source.ladders) or any(table.chart for table in source.tables),
        ladders=tuple(ladder_part(source, ladder, names) for ladder in source.ladders),
        tables=tuple(table_part(source, table, names) for table in source.tables),
        rounds=tuple(_round(item, rows) for item in source.rounds),
        contradictions=contradictions(source.contradictions, names),
        corrections=corrections(source.corrections, names),
        notes=_notes(source, names),
        commands=tuple(_command(item) for item in source.commands),
        claims=claim_rows([table_row(row) for row in sorted(rows, key=lambda row: row.rank)], TableState()),
        hints=tuple(map(_, HINTS)),
        json_url=f"/api/v1/sources/{source.id}",
    )


def mentioned(source: Source) -> set[str]:
    """Ids of the claims that a source's ladders, tables and statements name."""
    found = {step.claim for ladder in source.ladders for step in ladder.steps}
    found |= {claim for table in source.tables for row in table.rows for cell in row.cells for claim in cell}
    for items in (source.contradictions, source.corrections, source.notes):
        found |= {claim for item in items for claim in item.claims}
    return found


def _facts(source: Source, claims: int) -> Iterator[Fact]:
    yield Fact(_("Publisher"), source.publisher)
    yield Fact(_("Interest"), source.interest)
    yield Fact(_("Kind"), _(TYPES[source.type]))
    yield stated(_("Date"), source.date and stated_day(source.date))
    if source.date_note:
        yield Fact(_("On the date"), source.date_note)
    if source.url is None:
        yield Fact(_("Address"), _("not stated"), stated=False)
    elif source.url_seen_cited:
        yield Fact(_("Address"), source.url, url=source.url)
    else:
        yield Fact(_("Address"), _("{url} (not linked: we have not seen it given anywhere)").format(url=source.url))
    for url in source.more_urls:
        yield Fact(_("Also"), url, url=url if source.url_seen_cited else "")
    yield Fact(_("Read in"), source.read_in)
    measured = {claim.evidence.measurement: None for claim in source.claims if claim.evidence}
    for name in measured:
        yield Fact(_("Traces"), _("kept in measurement {name}").format(name=name), url=f"/measurements/{name}")
    yield Fact(_("Retrieved"), day(source.retrieved))
    yield Fact(_("Last checked"), day(source.last_checked))
    yield Fact(_("Claims here"), number(claims))


def _parts(source: Source) -> tuple[Link, ...]:
    found = [Link(item.title, f"#{item.id}") for item in source.ladders]
    found += [Link(item.title, f"#{item.id}") for item in source.tables]
    for items, text, anchor in (
        (source.contradictions, _("Contradictions"), "contradictions"),
        (source.corrections, _("Corrections"), "corrections"),
        (source.rounds, _("Measured together"), "rounds"),
        (source.notes, _("Notes"), "notes"),
        (source.commands, _("Commands"), "commands"),
        (source.claims, _("All claims"), "claims"),
    ):
        if items:
            found.append(Link(text, f"#{anchor}"))
    return tuple(found)


def _round(item: Round, rows: Sequence[ClaimRow]) -> Told:
    members = [row for row in rows if row.round == item.id]
    varied = ", ".join(_(FIELDS[name].label) for name in item.varies if name in FIELDS) or _("nothing")
    text = _("{members} numbers. Only these vary among them: {varied}; all else the source holds equal.").format(
        members=len(members), varied=varied
    )
    return Told(again(item.title), text, again(item.locator or ""))


def _notes(source: Source, names: Mapping[str, ClaimRow]) -> tuple[tuple[str, tuple[Told, ...]], ...]:
    topics: dict[str, list[Told]] = {}
    for note in source.notes:
        told = Told("", again(note.text), again(note.locator or ""), links(note.claims, dict(names)))
        topics.setdefault(_(TOPICS[note.topic]), []).append(told)
    return tuple((topic, tuple(items)) for topic, items in topics.items())


def _command(command: Command) -> CommandPart:
    lines = [f"{name}={shlex.quote(value)}" for name, value in command.env.items()]
    return CommandPart(command.title, command.locator, "\n".join(lines), command.text or _argv(command.argv or ()))


def _argv(argv: Sequence[str]) -> str:
    """One flag a line with its values, as a shell would take it; a variable stays a variable."""
    lines: list[str] = []
    for word in argv:
        quoted = word if word.startswith("$") else shlex.quote(word)
        if word.startswith("--") or not lines:
            lines.append(quoted)
        else:
            lines[-1] += f" {quoted}"
    return " \\\n  ".join(lines)

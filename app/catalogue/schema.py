"""One catalogue file: a source, its claims, and what it says about them. Pure data, validated like user input."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from app.claims.schema import Claim, Contradiction, Correction, Fact, Slug, Text

StepKind = Literal[
    "first build", "layout fix", "fusion", "tiling", "memory", "overlap", "defaults", "speculation", "parallelism"
]
SourceType = Literal[
    "blog",
    "pull_request",
    "benchmark_pr",
    "third_party_measurement",
    "community_post",
    "documentation",
    "test_suite",
    "own_measurement",
]
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
PART_OF_A_DATE = re.compile(r"\d{4}(-\d{2}){0,2}", re.ASCII)


def _address(given: str) -> str:
    """Addresses become links: only those of the web may."""
    try:
        parts = urlsplit(given)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in ("https", "http") or not given.isprintable() or re.search(r"\s", given):
        raise ValueError("is no address of the web: it begins with https:// or http:// and names a host")
    return given


def _day(given: object) -> object:
    """Only YYYY-MM-DD: pydantic would take 86400 for a day of 1970."""
    if isinstance(given, str) and not _is_date(given, DAY):
        raise ValueError("is no date: write it as 2026-10-07")
    return given


def _part_of_a_date(given: str) -> str:
    if not _is_date(given, PART_OF_A_DATE):
        raise ValueError("is no date: write it as 2026-10-07, or 2026-10 or 2026 where the source says no more")
    return given


def _is_date(given: str, form: re.Pattern[str]) -> bool:
    try:
        return bool(form.fullmatch(given)) and bool(dt.date.fromisoformat(given + "-01-01"[len(given) - 4 :]))
    except ValueError:
        return False


Address = Annotated[Text, AfterValidator(_address)]
Day = Annotated[dt.date, BeforeValidator(_day)]
PartOfADate = Annotated[Text, AfterValidator(_part_of_a_date)]


class Round(Fact):
    """What was measured together, and the condition fields in which its members differ; all else is held equal."""

    id: Slug
    title: Text
    locator: Text | None = None
    varies: tuple[Text, ...]
    apart: Text | None = None  # why nothing outside the round may be set against its numbers


class LadderStep(Fact):
    claim: Slug
    label: Text
    kind: StepKind


class SourceLadderBreak(Fact):
    after: Slug  # the claim of the last step before the break
    title: Text
    reasons: tuple[Text, ...] = Field(min_length=1)


class Ladder(Fact):
    id: Slug
    title: Text
    locator: Text
    unit: Text
    steps: tuple[LadderStep, ...] = Field(min_length=2)
    breaks: tuple[SourceLadderBreak, ...] = ()


class TableRow(Fact):
    label: Text
    note: Text | None = None
    cells: tuple[tuple[Slug, ...], ...]  # claim ids, column by column; an empty cell is "not stated"


class Table(Fact):
    """A table of the source: rows of claims under the source's own columns."""

    id: Slug
    title: Text
    caption: Text
    locator: Text
    chart: Literal["grouped_bars"] | None = None
    row_heading: Text
    columns: tuple[Text, ...]
    rows: tuple[TableRow, ...]


class Note(Fact):
    """A statement that is no performance claim: a configuration, an accuracy check, a pin, a protocol item."""

    topic: Literal[
        "configuration",
        "accuracy",
        "protocol",
        "pins",
        "workload",
        "metric",
        "rules",
        "history",
        "not_quantified",
        "independence",
    ]
    text: Text
    locator: Text | None = None
    claims: tuple[Slug, ...] = ()


class Command(Fact):
    title: Text
    argv: tuple[Text, ...] | None = None
    text: Text | None = None  # where the source gives only a fragment
    env: dict[Text, Text] = Field(default_factory=dict)
    locator: Text


class Source(Fact):
    """A published page or file, as one catalogue file holds it after its groups are spread out."""

    id: Slug
    title: Text
    url: Address | None
    url_seen_cited: bool  # a URL that nobody was seen to cite is shown but not linked
    more_urls: tuple[Address, ...] = ()
    publisher: Text
    interest: Text  # who wrote it and what they have at stake, in one phrase
    type: SourceType
    date: PartOfADate | None
    date_note: Text | None = None
    read_in: Text  # the copy that was read: repository, path, commit
    retrieved: Day
    last_checked: Day
    summary: Text
    claims: tuple[Claim, ...]
    rounds: tuple[Round, ...] = ()
    ladders: tuple[Ladder, ...] = ()
    tables: tuple[Table, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    corrections: tuple[Correction, ...] = ()
    notes: tuple[Note, ...] = ()
    commands: tuple[Command, ...] = ()

"""What the pages that lead to an execution are given: approval of exactly what runs, and asking for a reproduction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.contexts import Fact, Link, Shell
    from app.web.job_contexts import SidePart, Waiting


@dataclass(frozen=True, slots=True)
class DecidedLine:
    """A flag or a variable of a launch: what the policy says of it, and why."""

    name: str
    value: str
    decision: str
    word: str  # the decision as it is said
    reason: str


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of the canonical text against what was approved before: `kind` is same, old or new."""

    kind: str
    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class LaunchPart:
    """One launch as it would run."""

    heading: str
    digest: str
    canonical: str
    argv: str
    argv_trouble: str
    env: str  # one variable a line
    places: tuple[Fact, ...]  # what stands in them at a start
    sometimes: tuple[str, ...]  # what is left out at some starts
    decision: str
    decision_word: str
    decided: tuple[DecidedLine, ...]
    approval: str
    against: str
    diff: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class ApprovalPage:
    template: ClassVar[str] = "jobs/approval.html"

    shell: Shell
    heading: str
    job_url: str
    told: str
    people: str  # who asked for it, and who looks at it
    dummy: str
    trouble: str
    sign_in_url: str
    may: bool
    own: str  # told to whoever decides on a job of their own
    why_not: str
    launches: tuple[LaunchPart, ...]
    digests: str  # of all that is shown
    expiry: str


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """What a reader may choose over what is stated; `options` where there are few (value and label)."""

    name: str
    label: str
    help: str
    value: str
    options: tuple[tuple[str, str], ...]
    error: str


@dataclass(frozen=True, slots=True)
class ObstacleLine:
    """What stands in the way, with the field that takes it away where one does."""

    text: str
    choose: Link | None


@dataclass(frozen=True, slots=True)
class ReproducePage:
    """What would be run to measure a claim or a card again, or what is missing for it."""

    template: ClassVar[str] = "jobs/reproduce.html"

    shell: Shell
    heading: str
    url: str
    back_url: str
    plan_of: Link | None  # the measurement whose own plan it is; None of a plan that is made of words
    stopped: str  # what the list of obstacles says of the whole; "" where it can be asked for
    obstacles: tuple[ObstacleLine, ...]
    remedy: str
    assumptions: tuple[str, ...]
    proposal: str  # of a release that the page chose for its reader, "" where it chose none
    place: str  # on what it would run
    facts: tuple[Fact, ...]
    sides: tuple[SidePart, ...]
    dummy: str
    runners: Waiting | None
    fields: tuple[ChoiceField, ...]
    hidden: tuple[tuple[str, str], ...]
    may: bool
    trouble: str
    wrong: tuple[Link, ...]  # fields that hold what cannot be taken
    why_not: str
    sign_in_url: str

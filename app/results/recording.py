"""An imported file and what a person adds to it -> the cards to record, or every reason why not. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.cards.rules import Finding
from app.language import F_
from app.results.answers import answered, states

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from app.cards.load import ReadCard
    from app.results.importers import Imported, ImportReport


@dataclass(frozen=True)
class Reading:
    """The chosen cards with the answers in them; `errors` keep all of them out."""

    cards: dict[int, ReadCard]  # by part
    errors: tuple[Finding, ...]


def read_chosen(
    report: ImportReport,
    parts: Sequence[int],
    answers: Mapping[str, str],
    check: Callable[[ReadCard], ReadCard],
) -> Reading:
    """`parts`: places in `report.imported`, from 1; none means all. `check` adds what only other records can say.

    An error that all cards share is told once; another one names its part.
    """
    known = len(report.imported)
    wrong = sorted({part for part in parts if not 1 <= part <= known})
    if wrong:
        parts_there = F_("the file has the parts 1 to {known}, no {wrong}")
        message = parts_there.format(known=known, wrong=", ".join(map(str, wrong)))
        return Reading({}, (Finding("E-form", "error", "parts", message),))
    chosen = {part: report.imported[part - 1] for part in sorted(set(parts) or range(1, known + 1))}
    cards = {part: check(answered(imported, answers)) for part, imported in chosen.items()}
    return Reading(cards, (*_unused(chosen.values(), answers), *_gathered(cards)))


def _unused(chosen: Collection[Imported], answers: Mapping[str, str]) -> list[Finding]:
    """Answers to what the file states in every chosen card: the file stands, and silence would hide that."""
    return [
        Finding("E-answer", "error", field, F_("the file itself states this; leave it out"))
        for field, text in answers.items()
        if text.strip() and all(states(imported, field, text.strip()) for imported in chosen)
    ]


def _gathered(cards: Mapping[int, ReadCard]) -> list[Finding]:
    told = Counter(error for read in cards.values() for error in set(read.errors))
    found = []
    for error, times in told.items():
        if times == len(cards):
            found.append(error)
            continue
        parts = ", ".join(str(part) for part, read in cards.items() if error in read.errors)
        found.append(
            Finding(
                error.rule,
                error.severity,
                error.field,
                F_("part {parts}: {said}").format(parts=parts, said=error.message),
            )
        )
    return found

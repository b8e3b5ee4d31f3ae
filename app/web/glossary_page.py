"""The glossary -> its page. Pure: words from app.axes.glossary, the axes' own definitions beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.axes import AXES
from app.axes.glossary import TERMS, Term
from app.language import _
from app.web.contexts import Fact, Link, Shell

ABOUT = "The words of LLM serving, with unit and source: TTFT, TPOT, interactivity, goodput, parallelism, speculation."


@dataclass(frozen=True, slots=True)
class TermPart:
    key: str
    heading: str
    also: str
    says: str
    facts: tuple[Fact, ...]
    axis: Link | None


@dataclass(frozen=True, slots=True)
class GlossaryPage:
    template: ClassVar[str] = "about/glossary.html"

    shell: Shell
    terms: tuple[TermPart, ...]


def glossary_page() -> GlossaryPage:
    terms = sorted(TERMS, key=lambda term: term.spellings[0].casefold())
    return GlossaryPage(Shell("Glossary", ABOUT, "/about"), tuple(map(_part, terms)))


def _part(term: Term) -> TermPart:
    axis = AXES.get(term.axis)
    facts = [Fact(_("As an axis"), axis.definition)] if axis else []
    facts += [Fact(_("Unit"), term.unit)] if term.unit else []
    facts.append(Fact(_("Source"), axis.source if axis else term.source))
    return TermPart(
        key=term.key,
        heading=term.spellings[0],
        also=", ".join(term.spellings[1:]),
        says=term.says,
        facts=tuple(facts),
        axis=Link(f"Axis: {axis.name}", f"/axes#{axis.key}") if axis else None,
    )

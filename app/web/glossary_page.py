"""The glossary -> its page. Pure: words from app.axes.glossary, the axes' own definitions beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.axes import AXES
from app.axes.glossary import SGLANG, TERMS, VLLM, Term
from app.language import N_, _
from app.web.contexts import Fact, Link, Shell

ABOUT = N_(
    "The words of LLM serving, with unit and source: TTFT, TPOT, interactivity, goodput, parallelism, speculation."
)


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
    return GlossaryPage(Shell(_("Glossary"), _(ABOUT), "/about"), tuple(map(_part, terms)))


def _part(term: Term) -> TermPart:
    axis = AXES.get(term.axis)
    facts = [Fact(_("As an axis"), _(axis.definition))] if axis else []
    facts += [Fact(_("Unit"), term.unit)] if term.unit else []
    facts.append(Fact(_("Source"), _(axis.source) if axis else _(term.source).format(vllm=VLLM, sglang=SGLANG)))
    return TermPart(
        key=term.key,
        heading=term.spellings[0],
        also=", ".join(term.spellings[1:]),
        says=_(term.says),
        facts=tuple(facts),
        axis=Link(_("Axis: {name}").format(name=_(axis.name)), f"/axes#{axis.key}") if axis else None,
    )

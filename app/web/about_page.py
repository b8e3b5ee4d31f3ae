"""How Benchcard comes to what it says -> its page, for a reader who doubts it. Pure: what is a rule or a limit is read
from the code that applies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from app.axes import AXES
from app.axes.registry import TOOLS, VERSIONING
from app.claims.words import STATED_IN
from app.compare.blocking import BLOCKING
from app.compare.lint import RULES
from app.compare.reproduction import FEWEST, WORDS, rules
from app.compare.words import VERDICTS
from app.jobs.readme import whole_layout
from app.jobs.states import APPROVED_FOR
from app.language import N_, _, number
from app.protocol.english import counted
from app.web.contexts import Fact, Link, Shell
from app.web.verdict_contexts import RuleTold
from app.web.verdicts_page import AGAIN, COMPARED
from app.web.wording import rule_place
from runners.load.verdict import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOUT = N_("How Benchcard's verdicts are made, where its numbers come from, and what it cannot tell.")
CANNOT = (
    N_("Whether a published number is true. Unverified means that nobody has measured it again here; it is no doubt."),
    N_("Which engine is better. A verdict ranks two numbers on one axis at most, never two engines."),
    N_("Whether two texts are equally good: quality is recorded where a source checked it, and measured nowhere."),
    N_("What a source does not state. It is shown as not stated and counts as a reason against comparing."),
    N_("How your own workload behaves: a number holds for the lengths, the load and the cache that stand beside it."),
    N_("What a runner's machine hides: clocks, drivers and temperatures are recorded as the machine tells them."),
)


@dataclass(frozen=True, slots=True)
class AboutPart:
    """`links` lead to where a rule is used; `rules` are told as they are applied."""

    place: str
    heading: str
    says: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    rules: tuple[RuleTold, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class AboutPage:
    template: ClassVar[str] = "about/index.html"

    shell: Shell
    parts: tuple[AboutPart, ...]


def about_page(*, two_people: bool) -> AboutPage:
    """`two_people`: nobody approves a job of their own here."""
    return AboutPage(Shell(_("About"), _(ABOUT), "/about"), tuple(_parts(two_people=two_people)))


def _parts(*, two_people: bool) -> Iterator[AboutPart]:
    yield AboutPart(
        "axes",
        _("What a number measures"),
        (
            _(
                "Every number stands on one of {axes} axes. An axis is a definition: which event opens "
                "the time and which closes it, what is counted, what it is divided by, which tail is the "
                "slow one. {tools} use the same names for other numbers, and each axis says how."
            ).format(axes=len(AXES), tools=counted(len(TOOLS), "load tool")),
            _(VERSIONING),
        ),
        links=(Link(_("All axes"), "/axes"), Link(_("The words"), "/glossary")),
    )
    yield AboutPart(
        "comparing",
        _("When two numbers may be compared"),
        (
            _(
                "Two numbers are set against each other condition by condition. The verdict is one of "
                "three; where one of the rules below them holds, the two answer two questions, and no "
                "ratio is shown."
            ),
        ),
        facts=tuple(Fact(_(VERDICTS[verdict]), _(text)) for verdict, text in COMPARED.items()),
        rules=tuple(
            RuleTold(f"/verdicts#{rule_place(rule.id)}", rule.id.replace("-", " "), _(rule.says)) for rule in BLOCKING
        ),
        links=(
            Link(
                _("The {rules} rules that doubt one number by itself").format(rules=len(RULES)), "/verdicts#one-number"
            ),
        ),
    )
    yield _origins()
    yield _reproduced()
    yield _started(two_people=two_people)
    yield _evidence()
    yield AboutPart("cannot", _("What Benchcard cannot tell"), tuple(map(_, CANNOT)))


def _origins() -> AboutPart:
    return AboutPart(
        "numbers",
        _("Where a number comes from"),
        (_("Digits stay as they were written. Every number says which of these it is:"),),
        facts=(
            Fact(
                _("Quoted"),
                _("From a source, with the place where it stands: {places}. What is read off a chart says so.").format(
                    places=", ".join(_(word) for kind, word in STATED_IN.items() if kind not in ("derived", "measured"))
                ),
            ),
            Fact(
                _("Computed"),
                _("Derived from quoted numbers by a formula that stands beside it, with what it assumes."),
            ),
            Fact(_("Carded"), _("Recorded by a person or a script as a bench card, under their name.")),
            Fact(
                _("Measured"),
                _(
                    "By a runner on the real engine. Every event's time is kept in a trace, and each number "
                    "is computed from it again when somebody asks: by this server, or offline from the "
                    "evidence bundle."
                ),
            ),
        ),
        links=(Link(_("Sources"), "/sources"), Link(_("Cards"), "/cards"), Link(_("Measurements"), "/measurements")),
    )


def _started(*, two_people: bool) -> AboutPart:
    whose = (
        N_("Here it takes two people: nobody approves a job of their own.")
        if two_people
        else N_(
            "Here a maintainer may approve a job of their own, and the approval then says so. It takes two people "
            "where other machines can reach the server, unless whoever runs it works alone and has said so."
        )
    )
    return AboutPart(
        "started",
        _("What may be started"),
        (
            _(
                "A runner starts a model that its owner has listed, with options that nobody doubts; all else only "
                "after a maintainer has approved it. An approval is of every argument and every variable of the "
                "process, byte for byte, as its page shows them, holds for {days} days, and can be taken back. What "
                "runs code of others, or reaches beyond the machine, never runs; the runner decides all this again."
            ).format(days=APPROVED_FOR.days),
            _(whose),
        ),
        links=(Link(_("Jobs"), "/jobs"), Link(_("Runners"), "/runners")),
    )


def _evidence() -> AboutPart:
    return AboutPart(
        "evidence",
        _("What an evidence bundle holds"),
        (
            _(
                "A measurement travels as one zip file, with the traces that its numbers are computed "
                "from. “benchcard verify” checks it on any machine without a network; the README inside "
                "says how to check it without Benchcard (older bundles have none). These are its files:"
            ),
        ),
        facts=tuple(Fact(path, f"{_(what)}.") for path, what in whole_layout()),
        links=(Link(_("Measurements, each with its bundle"), "/measurements"),),
    )


def _reproduced() -> AboutPart:
    limits = _(
        "A run is no result where more than {failed_share} of its requests failed, where more "
        "than {cached_share} of its prompt came from a cache that should be empty, or where the "
        "client itself lagged: by more than {lag_p99_ms} ms at P99, or with more than "
        "{cpu_share} of a core."
    ).format(
        failed_share=number(DEFAULT.failed_share, ".0%"),
        cached_share=number(DEFAULT.cached_share, ".0%"),
        lag_p99_ms=number(DEFAULT.lag_p99_ms, "g"),
        cpu_share=number(DEFAULT.cpu_share, ".0%"),
    )
    return AboutPart(
        "reproduced",
        _("What “reproduced” means"),
        (
            _(
                "A runner measures the claim again with what it states, at least {fewest} times, and an "
                "interval is set against what the printed digits reach over. Nothing is called "
                "reproduced as such: there are these words."
            ).format(fewest=FEWEST),
            limits,
        ),
        facts=tuple(Fact(_(WORDS[status]), _(text)) for status, text in AGAIN.items()),
        rules=tuple(RuleTold(f"/verdicts#again-{name}", name, says) for name, says in rules()),
        links=(Link(_("Do load tools agree on one server?"), "/axes/agreement"), Link(_("Runners"), "/runners")),
    )

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
from app.protocol.english import counted
from app.web.contexts import Fact, Link, Shell
from app.web.verdict_contexts import RuleTold
from app.web.verdicts_page import AGAIN, COMPARED
from app.web.wording import rule_place
from runners.load.verdict import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOUT = "How Benchcard's verdicts are made, where its numbers come from, and what it cannot tell."
CANNOT = (
    "Whether a published number is true. Unverified means that nobody has measured it again here; it is no doubt.",
    "Which engine is better. A verdict ranks two numbers on one axis at most, never two engines.",
    "Whether two texts are equally good: quality is recorded where a source checked it, and measured nowhere.",
    "What a source does not state. It is shown as not stated and counts as a reason against comparing.",
    "How your own workload behaves: a number holds for the lengths, the load and the cache that stand beside it.",
    "What a runner's machine hides: clocks, drivers and temperatures are recorded as the machine tells them.",
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


def about_page() -> AboutPage:
    return AboutPage(Shell("About", ABOUT, "/about"), tuple(_parts()))


def _parts() -> Iterator[AboutPart]:
    yield AboutPart(
        "axes",
        "What a number measures",
        (
            f"Every number stands on one of {len(AXES)} axes. An axis is a definition: which event opens the time and "
            "which closes it, what is counted, what it is divided by, which tail is the slow one. "
            f"{counted(len(TOOLS), 'load tool')} use the same names for other numbers, and each axis says how.",
            VERSIONING,
        ),
        links=(Link("All axes", "/axes"), Link("The words", "/glossary")),
    )
    yield AboutPart(
        "comparing",
        "When two numbers may be compared",
        (
            "Two numbers are set against each other condition by condition. The verdict is one of three; where one of "
            "the rules below them holds, the two answer two questions, and no ratio is shown.",
        ),
        facts=tuple(Fact(VERDICTS[verdict], text) for verdict, text in COMPARED.items()),
        rules=tuple(
            RuleTold(f"/verdicts#{rule_place(rule.id)}", rule.id.replace("-", " "), rule.says) for rule in BLOCKING
        ),
        links=(Link(f"The {len(RULES)} rules that doubt one number by itself", "/verdicts#one-number"),),
    )
    yield _origins()
    yield _reproduced()
    yield _evidence()
    yield AboutPart("cannot", "What Benchcard cannot tell", CANNOT)


def _origins() -> AboutPart:
    return AboutPart(
        "numbers",
        "Where a number comes from",
        ("Digits stay as they were written. Every number says which of these it is:",),
        facts=(
            Fact(
                "Quoted",
                "From a source, with the place where it stands: "
                f"{', '.join(word for kind, word in STATED_IN.items() if kind not in ('derived', 'measured'))}. "
                "What is read off a chart says so.",
            ),
            Fact("Computed", "Derived from quoted numbers by a formula that stands beside it, with what it assumes."),
            Fact("Carded", "Recorded by a person or a script as a bench card, under their name."),
            Fact(
                "Measured",
                "By a runner on the real engine. Every event's time is kept in a trace, and each number is computed "
                "from it again when somebody asks: by this server, or offline from the evidence bundle.",
            ),
        ),
        links=(Link("Sources", "/sources"), Link("Cards", "/cards"), Link("Measurements", "/measurements")),
    )


def _evidence() -> AboutPart:
    return AboutPart(
        "evidence",
        "What an evidence bundle holds",
        (
            "A measurement travels as one zip file, with the traces that its numbers are computed from. “benchcard "
            "verify” checks it on any machine without a network; the README inside says how to check it without "
            "Benchcard (older bundles have none). These are its files:",
        ),
        facts=tuple(Fact(path, f"{what}.") for path, what in whole_layout()),
        links=(Link("Measurements, each with its bundle", "/measurements"),),
    )


def _reproduced() -> AboutPart:
    limits = (
        f"A run is no result where more than {DEFAULT.failed_share:.0%} of its requests failed, where more than "
        f"{DEFAULT.cached_share:.0%} of its prompt came from a cache that should be empty, or where the client itself "
        f"lagged: by more than {DEFAULT.lag_p99_ms:g} ms at P99, or with more than {DEFAULT.cpu_share:.0%} of a core."
    )
    return AboutPart(
        "reproduced",
        "What “reproduced” means",
        (
            f"A runner measures the claim again with what it states, at least {FEWEST} times, and an interval is set "
            "against what the printed digits reach over. Nothing is called reproduced as such: there are these words.",
            limits,
        ),
        facts=tuple(Fact(WORDS[status], text) for status, text in AGAIN.items()),
        rules=tuple(RuleTold(f"/verdicts#again-{name}", name, says) for name, says in rules()),
        links=(Link("Do load tools agree on one server?", "/axes/agreement"), Link("Runners", "/runners")),
    )

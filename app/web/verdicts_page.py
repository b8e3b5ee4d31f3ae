"""The rules of every verdict -> the page that explains them. Pure: what it says is what the rules themselves say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.compare.beside import BESIDE
from app.compare.blocking import BLOCKING
from app.compare.lint import RULES
from app.compare.reproduction import WORDS, rules
from app.compare.words import VERDICTS
from app.language import N_, _
from app.web.contexts import Fact, Shell
from app.web.verdict_contexts import RulesPart, RuleTold, VerdictsPage
from app.web.wording import rule_place

if TYPE_CHECKING:
    from app.compare.reproduction import Status
    from app.compare.schema import Verdict

ABOUT = N_("How verdicts are found: every rule for two numbers side by side, and for a number that was measured again.")
AGAIN: dict[Status, str] = {
    "never_tried": N_("Nobody has measured it again here; what a run would still need is said on its page."),
    "failed": N_("The attempt ended before anything was measured; that says nothing about the number."),
    "different_setup": N_("Measured, in a setup that differs in something stated; that refutes nothing."),
    "inconclusive": N_("Measured, and the runs, their noise or the source leave it open."),
    "below": N_("The whole interval lies below what the number reaches over."),
    "within": N_("The interval and what the number reaches over have something in common."),
    "above": N_("The whole interval lies above what the number reaches over."),
}
# What rules nothing out and is listed all the same, besides the rules of app.compare.beside.
LISTED = (
    ("condition", N_("A stated condition that differs, and matters to what is measured, is listed with both values.")),
    (
        "not-stated",
        N_("A condition that matters and that a side does not state is a reason; it is never taken to be equal."),
    ),
    ("same-claim", N_("A claim beside itself is the same number.")),
)
COMPARED: dict[Verdict, str] = {
    "comparable": N_("No rule below holds, and no stated condition differs."),
    "comparable_with_differences": N_("No rule below holds; every condition that differs or is not stated is listed."),
    "not_comparable": N_("At least one rule below holds: the two answer two questions, or may do so."),
}


def verdicts_page() -> VerdictsPage:
    return VerdictsPage(
        Shell(_("How verdicts are found"), _(ABOUT), "/axes"), (_again(), _compared(), _listed(), _alone())
    )


def _again() -> RulesPart:
    return RulesPart(
        place="measured-again",
        heading=_("A number that was measured again"),
        about=_("A verdict never says which of two numbers is better. Below and above are meant as numbers."),
        words=tuple(Fact(_(WORDS[status]), _(text)) for status, text in AGAIN.items()),
        ordered=True,
        rules=tuple(RuleTold(f"again-{name}", name, says) for name, says in rules()),
    )


def _compared() -> RulesPart:
    return RulesPart(
        place="side-by-side",
        heading=_("Two numbers side by side"),
        about=_("What a source does not state counts as a reason, never as agreement."),
        words=tuple(Fact(_(VERDICTS[verdict]), _(text)) for verdict, text in COMPARED.items()),
        ordered=False,
        rules=tuple(_told(rule.id, rule.says) for rule in BLOCKING),
    )


def _listed() -> RulesPart:
    return RulesPart(
        place="listed",
        heading=_("What lies between two numbers and rules nothing out"),
        about=_("A ratio is given where all of these belong to one change, and nothing that matters is left unstated."),
        words=(),
        ordered=False,
        rules=tuple(_told(*rule) for rule in (*LISTED, *((rule.id, rule.says) for rule in BESIDE))),
    )


def _alone() -> RulesPart:
    return RulesPart(
        place="one-number",
        heading=_("One number by itself"),
        about=_("These make no verdict. They are told beside the number, and beside every comparison with it."),
        words=(),
        ordered=False,
        rules=tuple(_told(name, says) for name, says in RULES.items()),
    )


def _told(rule: str, says: str) -> RuleTold:
    return RuleTold(rule_place(rule), rule.replace("-", " "), _(says))

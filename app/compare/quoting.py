"""The comparison of two claims as others may quote it: the verdict first, then both claims with all they need. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from app.claims.conditions import FIELDS
from app.claims.quoting import Line, Part, claim_part, quotation, short_claim
from app.claims.words import fact_words
from app.compare.words import VERDICTS
from app.language import in_english

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.quoting import Quotation
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison, Reason, Severity


@in_english
def quote_comparison(a: ClaimRow, b: ClaimRow, found: Comparison, root: str) -> Quotation:
    """A ratio stands in it only where the verdict gives one. `root`: this server's address, without a slash at its
    end."""
    verdict = Part(f"{VERDICTS[found.verdict]}.", found.summary, tuple(_lines(found, root)))
    ratio = f" {said}." if (said := unsaid_ratio(found)) else ""
    lead = f"{VERDICTS[found.verdict]}. {found.summary}{ratio} {_address(found, root)}"
    short = "\n".join((lead, f"A: {short_claim(a)}", f"B: {short_claim(b)}"))
    return quotation([verdict, claim_part(a, root), claim_part(b, root)], short)


def unsaid_ratio(found: Comparison) -> str:
    """The ratio with its conditions in one line; nothing where the summary says it already."""
    if found.ratio is None or found.ratio.text in found.summary:
        return ""
    return f"{found.ratio.text} ({found.ratio.conditions})"


def _address(found: Comparison, root: str) -> str:
    return f"{root}/compare?{urlencode([('ids', found.a), ('ids', found.b)])}"


def _lines(found: Comparison, root: str) -> Iterator[Line]:
    if ratio := unsaid_ratio(found):
        yield Line("Ratio", ratio)
    for name, told in (
        ("Ruled out because", [reason.message.rstrip(".") for reason in _of(found, "blocking")]),
        ("Differs", [_both(item) for item in _of(found, "difference")]),
        ("Not stated by at least one", [_field(reason) for reason in _of(found, "not_stated")]),
    ):
        if told:
            yield Line(name, "; ".join(dict.fromkeys(told)))
    yield Line("Benchcard", "the comparison with all its reasons", _address(found, root))


def _of(found: Comparison, severity: Severity) -> list[Reason]:
    return [reason for reason in found.reasons if reason.severity == severity]


def _both(reason: Reason) -> str:
    a, b = (fact_words(reason.field, value) for value in (reason.a, reason.b))
    return f"{_field(reason)} ({a} / {b})"


def _field(reason: Reason) -> str:
    return FIELDS[reason.field].label if reason.field in FIELDS else reason.field.replace("_", " ")

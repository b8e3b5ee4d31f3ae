"""What to mind of a claim: every caveat with its words and its sentence, the implied ones too. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.words import acceptance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.schema import Caveat, ClaimRow

# Caveat kind -> the badge's words, in the order in which a row shows them.
WORDS = {
    "retracted": "retracted",
    "contradicted": "contradicted",
    "simulated_acceptance": "simulated acceptance",
    "acceptance_open": "acceptance not stated",
    "flawed_baseline": "flawed baseline",
    "workload_differs": "other workload",
    "third_party_reading": "third-party reading",
    "chart_only": "chart only",
    "own_earlier_build": "own earlier build",
    "prefill_not_counted": "prefill not counted",
    "approximation_on": "approximation on",
    "quality_not_checked": "quality not checked",
    "one_run": "one run",
    "random_weights": "random weights",
    "not_stated": "not stated",
}
# The other caveat kinds, as a claim's page heads them.
OTHERS = {
    "cached_tokens_counted": "cached tokens counted",
    "input_tokens_counted": "input tokens counted",
    "opt_in": "opt-in",
    "up_to": "up to",
    "random_prompt": "random prompt",
    "chosen_prompt": "chosen prompt",
    "load_differs": "load differs",
    "several_changes": "several changes at once",
    "saturated": "saturated",
    "superseded": "superseded",
    "not_independent": "not independent",
    "preliminary": "preliminary",
    "ratio_only": "ratio only",
    "scope": "scope",
    "noise": "noise",
    "arithmetic": "arithmetic",
    "unsound": "does not follow",
    "method": "method",
    "other": "note",
}
CAVEATS = {**WORDS, **OTHERS}


def told_once(row: ClaimRow) -> tuple[Caveat, ...]:
    """The row's caveats without those that a contradiction's own record tells in full."""
    return tuple(item for item in row.caveats if item.kind != "contradicted" or not row.contradictions)


def said(row: ClaimRow) -> Iterator[tuple[str, str]]:
    """Caveats as written; what the record's other fields say besides is added where no caveat of the kind does."""
    kinds = set()
    for caveat in told_once(row):
        kinds.add(caveat.kind)
        yield caveat.kind, caveat.text
    for item in row.contradictions:
        yield "contradicted", item.text
    for kind, text in _implied(row):
        if kind not in kinds:
            yield kind, text


def _implied(row: ClaimRow) -> Iterator[tuple[str, str]]:
    if row.acceptance.kind in ("simulated", "synthetic"):
        yield "simulated_acceptance", f"Acceptance was set, not earned: {acceptance(row.acceptance)}."
    if row.acceptance.kind == "not_stated" and row.conditions.speculation.method not in (None, "off"):
        yield "acceptance_open", "Speculation ran; whether its acceptance was earned or set is not stated."
    if row.stated_in == "chart":
        yield "chart_only", "The number stands on a chart only; its raw value is not printed."
    if row.baseline.kind == "own_earlier_build":
        yield "own_earlier_build", "Set against an earlier build of the same engine, not against another engine."
    if row.baseline.flaw:
        yield "flawed_baseline", row.baseline.flaw
    on = [item.name for item in row.conditions.approximations or () if item.on]
    if on:
        yield "approximation_on", f"Measured with an approximation on: {', '.join(on)}."
    if row.conditions.model.weights == "dummy":
        yield "random_weights", "Measured on random weights: the output says nothing about the model."

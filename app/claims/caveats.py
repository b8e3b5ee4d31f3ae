"""What to mind of a claim: every caveat with its words and its sentence, the implied ones too. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.words import acceptance
from app.language import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.schema import Caveat, ClaimRow

# Caveat kind -> the badge's words, in the order in which a row shows them.
WORDS = {
    "retracted": N_("retracted"),
    "contradicted": N_("contradicted"),
    "simulated_acceptance": N_("simulated acceptance"),
    "acceptance_open": N_("acceptance not stated"),
    "flawed_baseline": N_("flawed baseline"),
    "workload_differs": N_("other workload"),
    "third_party_reading": N_("third-party reading"),
    "chart_only": N_("chart only"),
    "own_earlier_build": N_("own earlier build"),
    "prefill_not_counted": N_("prefill not counted"),
    "approximation_on": N_("approximation on"),
    "quality_not_checked": N_("quality not checked"),
    "one_run": N_("one run"),
    "random_weights": N_("random weights"),
    "not_stated": N_("not stated"),
}
# The other caveat kinds, as a claim's page heads them.
OTHERS = {
    "cached_tokens_counted": N_("cached tokens counted"),
    "input_tokens_counted": N_("input tokens counted"),
    "opt_in": N_("opt-in"),
    "up_to": N_("up to"),
    "random_prompt": N_("random prompt"),
    "chosen_prompt": N_("chosen prompt"),
    "load_differs": N_("load differs"),
    "several_changes": N_("several changes at once"),
    "saturated": N_("saturated"),
    "superseded": N_("superseded"),
    "not_independent": N_("not independent"),
    "preliminary": N_("preliminary"),
    "ratio_only": N_("ratio only"),
    "scope": N_("scope"),
    "noise": N_("noise"),
    "arithmetic": N_("arithmetic"),
    "unsound": N_("does not follow"),
    "method": N_("method"),
    "other": N_("note"),
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
        yield (
            "simulated_acceptance",
            _("Acceptance was set, not earned: {acceptance}.").format(acceptance=acceptance(row.acceptance)),
        )
    if row.acceptance.kind == "not_stated" and row.conditions.speculation.method not in (None, "off"):
        yield "acceptance_open", _("Speculation ran; whether its acceptance was earned or set is not stated.")
    if row.stated_in == "chart":
        yield "chart_only", _("The number stands on a chart only; its raw value is not printed.")
    if row.baseline.kind == "own_earlier_build":
        yield "own_earlier_build", _("Set against an earlier build of the same engine, not against another engine.")
    if row.baseline.flaw:
        yield "flawed_baseline", row.baseline.flaw
    on = [item.name for item in row.conditions.approximations or () if item.on]
    if on:
        yield "approximation_on", _("Measured with an approximation on: {on}.").format(on=", ".join(on))
    if row.conditions.model.weights == "dummy":
        yield "random_weights", _("Measured on random weights: the output says nothing about the model.")

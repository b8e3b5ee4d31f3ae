"""The other side of a ratio: the claim's own conditions with those that its source says differ."""

from __future__ import annotations

from app.claims.schema import Claim, ClaimRow, Conditions, Engine
from app.compare.setup import baseline_conditions
from tests.compare.factories import ratio


def test_what_a_baseline_does_not_state_is_the_claims_own_after_storing_too() -> None:
    own = Conditions(engine=Engine(name="vLLM", version="0.32.0"), parallelism="TP4")
    baseline = {"kind": "other_configuration", "conditions": Conditions(parallelism="TP8")}
    claim = ratio(conditions=own, baseline=baseline)
    wanted = own.model_copy(update={"parallelism": "TP8"})
    assert baseline_conditions(claim) == wanted
    stored: Claim = ClaimRow.model_validate_json(claim.model_dump_json())  # as the database has it: nulls for all else
    assert baseline_conditions(stored) == wanted

"""What this machine's owner lets be started, checked again here whatever the app says. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.protocol.launch import digest

if TYPE_CHECKING:
    from app.protocol.lease import Assignment
    from app.protocol.plan import Side
    from runners.config import Policy


def refusals(assignment: Assignment, policy: Policy) -> list[str]:
    """Every reason not to begin; none where all may be started."""
    approved = frozenset(assignment.approved) if policy.approved else frozenset()
    return [reason for side in assignment.plan.sides for reason in _of_side(side, approved, policy)]


def _of_side(side: Side, approved: frozenset[str], policy: Policy) -> list[str]:
    if side.attach is not None:
        known = side.attach.address in policy.attach
        return [] if known else [f"{side.attach.address} is not on this runner's list of servers that may be measured"]
    assert side.launch is not None
    if digest(side.launch) in approved or any(_fits(side.launch.model, name) for name in policy.models):
        return []
    return [f"{side.launch.model} is not on this runner's list of models, and no maintainer has approved its start"]


def _fits(model: str, name: str) -> bool:
    return model.startswith(name[:-1]) if name.endswith("*") else model == name

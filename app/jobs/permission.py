"""Which launches of a plan a maintainer has to approve before they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.protocol.launch import Launch, digest

if TYPE_CHECKING:
    from app.protocol.plan import Plan


def asks(plan: Plan) -> dict[str, Launch]:
    """By digest, in the plan's order: every launch, as long as no policy says which of them need no approval."""
    return {digest(side.launch): side.launch for side in plan.sides if side.launch}

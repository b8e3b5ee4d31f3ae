"""Which launches of a plan run unasked, which a maintainer has to approve, and which never run. Pure.

The runner decides again, by its own policy (app.protocol.policy.local).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from app.errors import InvalidInputError
from app.language import _
from app.protocol.address import problem
from app.protocol.exact import digest
from app.protocol.plan import Plan
from app.protocol.policy import census
from app.protocol.policy.decide import Decision, decide
from app.retold import retold

if TYPE_CHECKING:
    from app.protocol.launch import Launch


def launches(plan: Plan) -> dict[str, Launch]:
    """By digest, in the plan's order."""
    return {digest(side.launch): side.launch for side in plan.sides if side.launch}


def decided(launch: Launch) -> Decision:
    """Where nobody has listed a model: a runner that lists this one starts it unasked."""
    return decide(launch, census.of(launch.engine, launch.version))


def asks(plan: Plan) -> list[str]:
    """Digests of the launches that need approval, but for a runner that lists their models itself. Raises
    InvalidInputError with every reason where one may never run, or an address never be measured."""
    never = [reason for launch in launches(plan).values() for reason in decided(launch).against("never")]
    wrong = (problem(side.attach.address) for side in plan.sides if side.attach)
    never += [f"attach: {text}" for text in wrong if text]
    if never:
        details: list[dict[str, object]] = [{"field": text.partition(":")[0], "message": text} for text in never]
        told = "; ".join(retold(reason) or reason for reason in never)
        raise InvalidInputError(_("this may never be started: {reasons}").format(reasons=told), details)
    return list(needing(plan.model_dump_json()))


@lru_cache(maxsize=1000)
def needing(plan: str) -> tuple[str, ...]:
    """Digests of the launches of a stored plan that do not run unasked. They are made anew: another version of
    Benchcard may start the same launch otherwise, and then no earlier approval is of it."""
    found = launches(Plan.model_validate_json(plan)).items()
    return tuple(key for key, launch in found if decided(launch).level != "allow")

"""What is asked of the tools in tests: whole questions, from which a test changes what it is about."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from app.claims.workloads import StatedWorkload
from app.tools import presets

if TYPE_CHECKING:
    from app.errors import InvalidInputError
    from app.tools.schema import Answer

AGENTX = {"input_tokens": "142000", "output_tokens": "444", "prefix_hit_rate": "96", "turns": "43"}
# vLLM's start-up log of Meta-Llama-3-8B on an A100 of 40 GB (vLLM issue 12330): 11.12 GiB left, 11.12x at 8192 tokens.
LOGGED = dict(presets.LOGGED.values)
EP4 = {"counted": "sglang", "rate": "853.49", "acceptance": "5.520", "off_rate": "223.50"}


def value(answer: Answer, key: str) -> Decimal:
    (found,) = [item.value for item in answer.figures if item.key == key]
    return found


def keys(answer: Answer) -> list[str]:
    return [item.key for item in answer.figures]


def faults(error: InvalidInputError) -> dict[str, str]:
    """What is wrong, by field."""
    return {str(detail["field"]): str(detail["message"]) for detail in error.details}


def near(left: Decimal, right: Decimal | str, share: str = "1e-9") -> bool:
    return abs(left - Decimal(right)) <= abs(Decimal(right)) * Decimal(share)


def stated(claim: str = "a", **given: str | None) -> StatedWorkload:
    """A claim that states nothing of its workload but what is given."""
    nothing = dict.fromkeys(("engine", "model", "name", "input_tokens", "output_tokens", "prefix_cache", "turns"))
    line = {"headline": "1 tok/s", "title": "one", "axis": "tpot", "acceptance": "none", "caveats": ()}
    return StatedWorkload(**{"id": claim, **line, **nothing, **given})  # type: ignore[arg-type]

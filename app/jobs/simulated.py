"""An acceptance length that is set instead of measured: how each engine is told to, and what a launch says of it. Pure.

SGLang reads it from a variable, on which older vLLM builds had a twin; vLLM >= 0.25 from keys of its speculative-config
(vllm/config/speculative.py), as a length or as one rate for each drafted token, whose sum is the length less one.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.protocol.launch import Launch

SGLANG = "SGLANG_SIMULATE_ACC_LEN"
VARIABLE = "SIMULATE_ACC_LEN"  # the end of its name, whichever engine's
CONFIG, METHOD, SYNTHETIC = "speculative-config", "rejection_sample_method", "synthetic"
LENGTH, RATES = "synthetic_acceptance_length", "synthetic_acceptance_rates"
NUMBER = re.compile(r"\d{1,6}(\.\d{1,6})?", re.ASCII)


def is_simulated(launch: Launch) -> bool:
    """Whether the engine is told how many drafts to accept."""
    return _variable(launch.env) is not None or _config(launch).get(METHOD) == SYNTHETIC


def length(launch: Launch) -> Decimal | None:
    """Tokens a step, the model's own included; None where the engine was given no number, or one below 1."""
    given = _variable(launch.env)
    if given is None:
        config = _config(launch)
        given = _of_rates(config[RATES]) if isinstance(config.get(RATES), list) else str(config.get(LENGTH))
    found = Decimal(given) if NUMBER.fullmatch(given) else None
    return found if found is not None and found >= 1 else None


def environment(engine: str, wanted: Decimal) -> dict[str, str]:
    """The variables that set it."""
    return {SGLANG: f"{wanted:f}"} if engine == "sglang" else {}


def speculation(engine: str, wanted: Decimal) -> dict[str, Any]:
    """The keys of the engine's speculation that set it."""
    return {METHOD: SYNTHETIC, LENGTH: float(wanted)} if engine == "vllm" else {}


def _variable(env: Mapping[str, str]) -> str | None:
    return next((value for name, value in env.items() if name.endswith(VARIABLE)), None)


def _config(launch: Launch) -> dict[str, Any]:
    given = launch.flags.get(CONFIG)
    return given if isinstance(given, dict) else {}


def _of_rates(rates: list[Any]) -> str:
    told = [Decimal(str(rate)) for rate in rates if type(rate) in (int, float)]
    return f"{1 + sum(told):f}" if len(told) == len(rates) else ""

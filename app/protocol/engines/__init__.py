"""The engines that Benchcard starts: one table each, and what makes a recipe the command of a server. Pure."""

from __future__ import annotations

from app.protocol.engines.sglang import SGLANG
from app.protocol.engines.vllm import VLLM

ENGINES = {engine.name: engine for engine in (VLLM, SGLANG)}


def titled(title: str | None) -> str | None:
    """`vLLM` -> `vllm`; None of what is not an engine that Benchcard starts."""
    return next((name for name, engine in ENGINES.items() if engine.title == title), None)

"""The engines that Benchcard starts itself: one table each, everything else is common to them."""

from __future__ import annotations

from runners.engines.sglang import SGLANG
from runners.engines.vllm import VLLM

ENGINES = {engine.name: engine for engine in (VLLM, SGLANG)}

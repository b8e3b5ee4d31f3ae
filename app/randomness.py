"""The only place that rolls dice: ids and secrets. Everything else is handed a source, so that tests can foresee it."""

from __future__ import annotations

import secrets
from typing import Protocol


class Randomness(Protocol):
    def take(self, count: int) -> bytes:
        """`count` bytes that nobody can guess."""
        ...


class SystemRandomness:
    def take(self, count: int) -> bytes:
        return secrets.token_bytes(count)

"""Prompts as token ids that share no beginning: no two of them, in whatever part of a run they are used. Pure.

Every prompt has a serial number, and begins with the digits of that number, the fastest-changing first, in a number
system whose digits are the vocabulary. Two prompts therefore differ within their first few ids by construction, not by
luck, and as a rule in the very first: a prefix cache has nothing to find, whatever its block size. The rest is random
by seed and serial. Readiness, warm-up and every repeat draw their serials from one counter.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

# Ids that nearly every vocabulary has and that are no special tokens in any: a range outside a model's vocabulary is
# refused by vLLM and can bring SGLang down.
LOWEST = 100
BELOW = 2000
_DISTINCT = 1 << 40

# One token each in the usual vocabularies; for servers that take text only.
_WORDS = """
time year people way day man thing woman life child world school state family student group country problem hand
part place case week company system program question work government number night point home water room mother
area money story fact month lot right study book eye job word business issue side kind head house service friend
father power hour game line end member law car city
"""
WORDS = tuple(_WORDS.split())


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The ids that prompts are made of: from `lowest` up to but not including `below`."""

    lowest: int = LOWEST
    below: int = BELOW

    def __post_init__(self) -> None:
        if self.lowest < 0 or self.below - self.lowest < 64:
            raise ValueError(f"vocabulary {self.lowest} to {self.below}: at least 64 ids are needed")

    @property
    def size(self) -> int:
        return self.below - self.lowest


COMMON = Vocabulary()


class Serials:
    """Hands out serial numbers; none twice. Another seed starts at another place."""

    def __init__(self, seed: int) -> None:
        self.next = int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:5], "big")

    def take(self, number: int) -> range:
        taken = range(self.next, self.next + number)
        self.next += number
        return taken


def token_ids(seed: int, serial: int, length: int, vocabulary: Vocabulary) -> list[int]:
    """The prompt of a serial number. The same arguments give the same ids."""
    ids = np.random.Generator(np.random.Philox(key=(seed % 2**64, serial))).integers(
        vocabulary.lowest, vocabulary.below, length
    )
    digits = _digits(serial, vocabulary.size, length)
    ids[: len(digits)] = np.array(digits) + vocabulary.lowest
    found: list[int] = ids.tolist()
    return found


def _digits(serial: int, base: int, length: int) -> list[int]:
    digits: list[int] = []
    reach = 1
    while reach < _DISTINCT and len(digits) < length:
        serial, digit = divmod(serial, base)
        digits.append(digit)
        reach *= base
    return digits


def text(seed: int, serial: int, length: int) -> str:
    """A prompt of `length` words, with a beginning of its own. How many tokens it has is for the server to say."""
    words = token_ids(seed, serial, length, Vocabulary(0, len(WORDS)))
    return " ".join(WORDS[word] for word in words)

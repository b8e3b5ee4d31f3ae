"""Published weaknesses of engine versions: the one table that the app and the runners refuse by.

Ranges are those of the advisories, widened to the next release that is known to hold the mending where an advisory
names no first mended version. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Advisory:
    """Of the versions from `since` (included) to `below` (excluded; None: not mended in a version that is known).

    With `flags`, those flags are refused in these versions and nothing else; without, the whole version has `level`.
    """

    engine: str
    reference: str
    since: str
    below: str | None
    level: Literal["approve", "never"]
    text: str
    flags: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """As every refusal says it: which weakness, what it is, and from which release on it is gone."""
        fixed = f"fixed in {self.engine} {self.below}" if self.below else "fixed in no version that is known here"
        return f"{self.reference}: {self.text} ({fixed})"


_DISAGGREGATED = ("disaggregation-mode", "encoder-only", "language-only", "encoder-urls", "encoder-transfer-backend")

ADVISORIES = (
    Advisory("vllm", "CVE-2025-48944", "0.8.0", "0.9.0", "approve", "a malformed list of tools ends the worker"),
    Advisory(
        "vllm", "CVE-2025-62164", "0.10.2", "0.11.1", "never",
        "prompt embeddings of a request are unpickled and corrupt memory", ("enable-prompt-embeds",),
    ),
    Advisory(
        "vllm", "CVE-2025-66448", "0", "0.11.1", "never",
        "code of a repository that the model names runs although trust_remote_code is off",
    ),
    Advisory(
        "vllm", "CVE-2026-22807", "0.10.1", "0.14.0", "never",
        "code of a model's repository runs at the start although trust_remote_code is off",
    ),
    Advisory("vllm", "CVE-2026-22778", "0.8.3", "0.14.1", "never", "a video in a request can run code"),
    Advisory("vllm", "CVE-2026-24779", "0", "0.14.1", "approve", "a request can make the server fetch inner addresses"),
    Advisory(
        "vllm", "CVE-2026-27893", "0.10.1", "0.18.0", "never",
        "code of a model's repository runs although trust_remote_code is off",
    ),
    Advisory("vllm", "CVE-2026-53923", "0.5.5", "0.23.1", "approve", "a GGUF file overflows a GPU buffer"),
    Advisory(
        "sglang", "CVE-2026-3059", "0.5.5", "0.5.11", "never", "a pickle socket of the multimodal part has no password"
    ),
    Advisory(
        "sglang", "CVE-2026-3060", "0.5.5", "0.5.11", "never",
        "a pickle socket of the separate encoder has no password", _DISAGGREGATED,
    ),
    Advisory(
        "sglang", "CVE-2026-5760", "0", "0.5.12", "never",
        "a chat template of a model's files can run code at a request"
    ),
    Advisory("sglang", "CVE-2026-7301", "0.5.5", "0.5.12", "never", "a pickle socket listens on every address"),
    Advisory(
        "sglang", "CVE-2026-7304", "0", None, "never",
        "a request's logit processor is unpickled and run", ("enable-custom-logit-processor",),
    ),
)  # fmt: skip


def number(version: str) -> tuple[int, ...]:
    """`0.32.0+cpu` -> (0, 32), to be compared: 0.32 is 0.32.0. Pre-releases count as their release."""
    release = re.match(r"\d+(\.\d+)*", version)
    if release is None:
        raise ValueError(f"{version}: a version begins with numbers")
    numbers = list(map(int, release.group().split(".")))
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def advisories(engine: str, version: str) -> list[Advisory]:
    """Those that name this version."""
    here = number(version)
    return [
        item
        for item in ADVISORIES
        if item.engine == engine and number(item.since) <= here and (item.below is None or here < number(item.below))
    ]

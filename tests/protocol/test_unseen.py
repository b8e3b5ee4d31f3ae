"""What is approved byte for byte holds nothing that nobody sees."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.policy import census
from app.protocol.policy.decide import decide
from app.protocol.unseen import first_unseen, visible
from tests.protocol.launches import PIN, launch

UNSEEN = [
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\u00ad",
    "\u00a0",
    "\u2028",
    "\u3164",
    "\ufe0f",
    "\U000e0041",
    "\ue000",
    "\u061c",
]


@pytest.mark.parametrize("sign", UNSEEN)
def test_each_of_them_is_written_out(sign: str) -> None:
    assert first_unseen(f"a{sign}b") == f"U+{ord(sign):04X}"
    assert visible(f"a{sign}b") == f"a⟦U+{ord(sign):04X}⟧b"


def test_what_people_write_is_left_as_it_is() -> None:
    text = "Qwen/Qwen3-8B --x='ü é 模型 \N{ROCKET}'\n\tnext"
    assert first_unseen(text) is None
    assert visible(text) == text


@pytest.mark.parametrize(
    "part",
    [
        {"flags": {"tokenizer": "a/b\u202e"}},
        {"flags": {"additional-config": {"k": {"deep": ["x\u200b"]}}}},
        {"flags": {"additional-config": {"k\u2066": 1}}},
        {"env": {"NCCL_DEBUG": "INFO\u202e"}},
    ],
)
def test_no_flag_and_no_variable_may_hold_one(part: dict[str, Any]) -> None:
    wanted = launch(**part)
    found = decide(wanted, census.of("vllm", "0.32.0"), (PIN,))
    assert found.level == "never"
    assert any("which nobody sees" in text for text in found.against("never"))
    assert not any(first_unseen(text) for text in found.against("never"))

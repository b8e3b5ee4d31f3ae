"""The flags of a version are read from its own --help."""

from __future__ import annotations

import re

import pytest

from app.protocol.engines.options import Flag
from runners.engines.helptext import flags
from tests.runners.engines.texts import help_of


@pytest.mark.parametrize(("engine", "number"), [("vllm", 317), ("sglang", 530)])
def test_every_option_of_a_real_help_is_read(engine: str, number: int) -> None:
    text = help_of(engine)
    found = flags(text)
    assert len({flag.name for flag in found.values()}) == number
    listed = {
        name for line in re.findall(r"^  (--\S.*)$", text, re.MULTILINE) for name in re.findall(r"^--([\w-]+)", line)
    }
    assert listed <= set(found)


def test_values_switches_negatives_and_choices_are_told_apart() -> None:
    found = flags(help_of("vllm"))
    assert found["max-num-seqs"].takes_value
    assert found["enable-prefix-caching"] == Flag(
        ("enable-prefix-caching",), takes_value=False, negative="no-enable-prefix-caching"
    )
    assert not found["headless"].takes_value
    assert "bfloat16" in found["dtype"].choices
    assert found["tensor-parallel-size"].names == ("tensor-parallel-size",)


def test_the_first_long_name_is_canonical() -> None:
    found = flags(help_of("sglang"))
    assert found["tensor-parallel-size"] is found["tp-size"]
    assert found["tp-size"].name == "tp-size"
    assert found["ep-size"].names == ("ep-size", "expert-parallel-size", "ep")


def test_a_flag_that_its_help_calls_deprecated_says_so() -> None:
    found = flags(help_of("sglang"))
    assert "--attn-dp-size" in (found["enable-dp-attention"].deprecated or "")
    assert found["attn-dp-size"].deprecated is None
    assert flags(help_of("vllm"))["allow-deprecated-quantization"].deprecated is None


def test_a_text_without_options_has_none() -> None:
    assert flags("usage: x\n\nTraceback (most recent call last):\n  File 'x'\n") == {}

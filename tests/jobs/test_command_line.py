"""A command line is read whole or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from app.jobs.command_line import of_argv
from app.jobs.notes import Notes


def read(argv: str | tuple[str, ...], engine: str = "vllm") -> tuple[dict[str, Any], str | None, list[str]]:
    notes = Notes()
    words = tuple(argv.split()) if isinstance(argv, str) else argv
    return *of_argv(words, engine, notes), list(notes.missing)


@pytest.mark.parametrize(
    ("engine", "argv", "model"),
    [
        ("vllm", "vllm serve org/m --seed 1", "org/m"),
        ("vllm", "/opt/venv/bin/vllm serve org/m --seed=1", "org/m"),
        ("vllm", "vllm serve --model org/m --seed 1", "org/m"),
        ("vllm", "serve org/m --seed 1", "org/m"),
        ("vllm", "--model=org/m --seed 1", "org/m"),
        ("vllm", "python -m vllm.entrypoints.openai.api_server --model org/m --seed 1", "org/m"),
        ("vllm", "/usr/bin/python3.11 -m vllm.entrypoints.cli.main serve org/m --seed=1", "org/m"),
        ("sglang", "python3 -m sglang.launch_server --model-path org/m --seed 1", "org/m"),
        ("sglang", "sglang serve --model-path org/m --seed 1", "org/m"),
        ("vllm", "--seed 1", None),
    ],
)
def test_the_known_ways_to_start_an_engine_are_read(engine: str, argv: str, model: str | None) -> None:
    assert read(argv, engine) == ({"seed": 1}, model, [])


@pytest.mark.parametrize(
    ("engine", "argv", "told"),
    [
        (
            "vllm",
            "vllm serve a/b c/d --seed 1",
            "launch.argv, item 4: `c/d` is no flag, and the model is `a/b` already",
        ),
        ("vllm", "sglang serve --model-path a/b", "`sglang serve` starts SGLang, and the card's engine is vLLM"),
        ("vllm", "python -m sglang.launch_server --model-path a/b", "starts SGLang, and the card's engine is vLLM"),
        ("sglang", "vllm serve a/b", "starts vLLM, and the card's engine is SGLang"),
        ("vllm", "CUDA_VISIBLE_DEVICES=0 vllm serve a/b", "put variables into launch.env"),
        ("vllm", "docker run image vllm serve a/b", "is no start of vLLM that is known here"),
        ("vllm", "vllm bench serve a/b", "is no start of vLLM that is known here"),
        ("vllm", "a/b --seed 1", "is no start of vLLM that is known here"),
        ("vllm", "python -m vllm.entrypoints.openai.api_server a/b", "stands where no model is read; write --model"),
        ("vllm", "vllm serve a/b --model c/d", "2 models are named (`a/b`, `c/d`)"),
        ("vllm", "vllm serve --model a/b --model=a/b", "2 models are named"),
        ("vllm", "vllm serve a/b -tp 4", "item 4: `-tp` is no flag with its full name"),
        ("vllm", "vllm serve a/b -- --seed 1", "item 4: `--` is no flag"),
        ("vllm", "vllm serve a/b --seed 1 2", "item 6: `2` is no flag"),
        ("vllm", "vllm serve a/b --max_num_seqs 1 --max-num-seqs=2", "--max-num-seqs is given twice"),
    ],
)
def test_what_cannot_be_read_for_certain_is_an_error_with_its_place(engine: str, argv: str, told: str) -> None:
    found = read(argv, engine)[2]
    assert any(told in text for text in found), found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"method":"mtp","method":"ngram"}', "has the key `method` twice"),
        ('{"a":{"b":1,"b":1}}', "has the key `b` twice"),
        ('{"a":', "cannot be read: Expecting value at character 6"),
        ('{"a":NaN}', "has NaN, which is no number in JSON"),
        ("{" * 3, "cannot be read"),
        ('{"a":' + "[" * 100_000, "is nested too deep"),
    ],
)
def test_a_json_value_is_read_in_one_way_or_not_at_all(text: str, told: str) -> None:
    (found,) = read(("vllm", "serve", "a/b", f"--speculative-config={text}"))[2]
    assert "launch.argv, item 4: the JSON of --speculative-config" in found
    assert told in found

"""The end of a server has a class, found from real last lines."""

from __future__ import annotations

import pytest

from runners.engines.failures import Class, Phase, classify, with_answer

SEEN: list[tuple[Class, Phase, int | None, str]] = [
    ("bad_flag", "starting", 2, "vllm serve: error: unrecognized arguments: --speculative-modle=x"),
    ("bad_flag", "starting", 2, "sglang serve: error: argument --dtype: invalid choice: 'x' (choose from 'auto')"),
    ("port_in_use", "starting", 1, "OSError: [Errno 98] Address already in use"),
    (
        "port_in_use",
        "starting",
        1,
        "ERROR: [Errno 98] error while attempting to bind on address: address already in use",
    ),
    ("out_of_memory", "starting", 1, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"),
    ("out_of_memory", "starting", 1, "ValueError: No available memory for the cache blocks."),
    ("out_of_memory", "starting", -9, "Loading safetensors checkpoint shards:  50%"),
    ("model_missing", "starting", 1, "OSError: Can't load the configuration of 'nobody/nothing'."),
    ("cannot_run_here", "starting", 1, "RuntimeError: operator torchvision::nms does not exist"),
    ("cannot_run_here", "starting", 1, "ModuleNotFoundError: No module named 'sgl_kernel'"),
    ("died_starting", "starting", 1, "AssertionError: num_heads must be divisible"),
    ("died_starting", "starting", 0, "INFO shutting down"),
    ("not_ready", "starting", None, "INFO loading"),
    ("died_at_request", "first_request", 0, "AssertionError: Synthetic acceptance not supported with CPU sampling"),
    ("died_running", "running", -11, "Fatal Python error: Segmentation fault"),
]


@pytest.mark.parametrize(("kind", "phase", "code", "line"), SEEN)
def test_an_end_is_classified(kind: Class, phase: Phase, code: int | None, line: str) -> None:
    assert classify(phase, code, ["INFO starting", line, "INFO and goodbye"]).kind == kind


def test_the_sentence_has_the_exit_and_the_line_that_tells_most() -> None:
    lines = ["Traceback (most recent call last):", "ValueError: first", "RuntimeError: Engine core failed", "bye"]
    found = classify("starting", 1, lines)
    assert found.line == "RuntimeError: Engine core failed"
    assert found.message == "it ended while it started (exit code 1): RuntimeError: Engine core failed"
    assert classify("running", -15, []).message == "it ended while it was measured (ended by signal 15)"
    assert with_answer(found, "status 500").message.endswith("its answer: status 500")

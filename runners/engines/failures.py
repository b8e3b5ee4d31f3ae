"""Why a server ended: its last log lines and its exit code -> a class and a sentence. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Class = Literal[
    "bad_flag", "port_in_use", "out_of_memory", "model_missing", "cannot_run_here", "not_ready", "died_starting",
    "died_at_request", "died_running",
]  # fmt: skip
Phase = Literal["starting", "first_request", "running"]

# The first that matches names the class. Of infrastructure are a port and a machine; the rest lies in the recipe.
PATTERNS: tuple[tuple[Class, str], ...] = (
    ("port_in_use", r"[Aa]ddress already in use|port \d+ is (already )?in use|EADDRINUSE"),
    ("bad_flag", r"error: (unrecognized arguments|argument |ambiguous option|the following arguments)|invalid choice:"),
    (
        "out_of_memory",
        r"out of memory|OutOfMemory|[Nn]ot enough memory|[Nn]o available memory|MemoryError|larger than the available|"
        r"[Cc]an(not|'t) allocate memory",
    ),
    (
        "model_missing",
        r"RepositoryNotFound|LocalEntryNotFound|is not a local folder|Can't load (the )?(config|tokenizer)|"
        r"No such file or directory: '[^']*(config|tokenizer)|outgoing traffic has been disabled|Invalid repository ID",
    ),
    (
        "cannot_run_here",
        r"No module named|NotImplementedError|no kernel image is available|cannot open shared object|"
        r"operator \S+ does not exist|undefined symbol|No CUDA GPUs|Failed to infer device type",
    ),
)
SENTENCES: dict[Class, str] = {
    "bad_flag": "it does not take one of its arguments",
    "port_in_use": "its port was taken",
    "out_of_memory": "memory did not suffice",
    "model_missing": "the model could not be read",
    "cannot_run_here": "it lacks something on this machine",
    "not_ready": "it was not ready in time",
    "died_starting": "it ended while it started",
    "died_at_request": "it was ready and died at its first request",
    "died_running": "it ended while it was measured",
}
ENDED: dict[Phase, Class] = {
    "starting": "died_starting",
    "first_request": "died_at_request",
    "running": "died_running",
}
_SIGNAL_KILL = -9


@dataclass(frozen=True, slots=True)
class Failure:
    """What became of a server. `line` is the log line that tells most, "" where none does."""

    kind: Class
    message: str
    line: str


def classify(phase: Phase, code: int | None, lines: Sequence[str]) -> Failure:
    """`code` is None for a server that still runs. An end that nobody asked for is a failure, with code 0 too."""
    kind = ENDED[phase]
    line = next((line for line in reversed(lines) if re.search(r"(Error|Exception)\b.*:|error:", line)), "")
    if phase == "starting":
        for candidate, pattern in PATTERNS:
            found = next((line for line in lines if re.search(pattern, line)), None)
            if found is not None:
                kind, line = candidate, found
                break
        else:
            kind = "not_ready" if code is None else "out_of_memory" if code == _SIGNAL_KILL else kind
    said = f": {line.strip()}" if line else ""
    return Failure(kind, f"{SENTENCES[kind]} ({_ended(code)}){said}", line.strip())


def with_answer(failure: Failure, answer: str) -> Failure:
    """The same, with what the server answered."""
    return replace(failure, message=f"{failure.message}; its answer: {answer}")


def _ended(code: int | None) -> str:
    if code is None:
        return "it still runs"
    if code == _SIGNAL_KILL:
        return "killed with SIGKILL, by the kernel where memory ran out"
    return f"ended by signal {-code}" if code < 0 else f"exit code {code}"

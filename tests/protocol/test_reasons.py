"""Every rule that a reason can begin with has its words, and no rule's name reaches a reader."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from app.protocol.outcome import Failure
from app.protocol.reasons import ATTEMPTS, REQUESTS, RULES, Kind, failed, said

ROOT = Path(__file__).parents[2]
MADE = re.compile(
    r'Reason\(\s*"([a-z_]+)"'
    r'|(?:yield |append\(|_nothing\([^"\n]*|unread\([^"\n]*)f?"([a-z]+(?:_[a-z]+)+|twice|unreadable): '
)


def made() -> set[str]:
    """The rules that the code writes before sentences."""
    folders = (ROOT / "runners", ROOT / "app/jobs")
    texts = [file.read_text() for folder in folders for file in folder.rglob("*.py")]
    return {name for text in texts for pair in MADE.findall(text) for name in pair if name}


def test_every_rule_that_the_code_writes_is_in_the_table() -> None:
    found = made() - {"server_"}
    assert len(found) > 10
    assert found <= {*RULES, *REQUESTS}


def test_every_kind_of_failed_request_and_every_class_of_failed_attempt_has_its_words() -> None:
    assert set(REQUESTS) == set(get_args(Kind))
    assert set(ATTEMPTS) == {name for literal in get_args(Failure) for name in (get_args(literal) or (literal,))}
    assert failed("died_starting") == "the server ended while it was starting"
    assert failed("of_a_newer_runner") == "of a newer runner"


@pytest.mark.parametrize(
    ("kept", "read"),
    [
        ("lagging_client: the client lagged", "the client lagged"),
        ("run 1: lagging_client: the client lagged", "run 1: the client lagged"),
        ("Nothing can be said: run 1: failures: 2 of 4 failed.", "Nothing can be said: run 1: 2 of 4 failed."),
        ("failures: 2 failed; timeout: 2 of 4: no end", "2 failed; 2 of 4: no end"),
        ("impossible_trace: events go back", "no client can have seen this: events go back"),
        ("a sentence: of two parts", "a sentence: of two parts"),
        (
            "side a, concurrency 2: run 1: other_work: a seed",
            "side a, concurrency 2: run 1: it is no run of the plan: a seed",
        ),
    ],
)
def test_a_reason_is_read_without_the_name_of_its_rule(kept: str, read: str) -> None:
    assert said(kept) == read

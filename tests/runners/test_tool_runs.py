"""What another load tool sees of a server nobody knows, so the server is asked beside it."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, cast

import pytest

from runners import tool_runs
from runners.engines.control import HungError
from runners.tool_runs import _wait

if TYPE_CHECKING:
    from collections.abc import Iterator


class Tool:
    """A tool that runs for so many looks."""

    code = 0

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def running(self, wait_s: float) -> bool:
        assert wait_s > 0
        self.looks -= 1
        return self.looks >= 0


class Server:
    """Answers as told, one question after the other."""

    def __init__(self, answers: Iterator[bool]) -> None:
        self.answers = lambda: next(answers)


def waited(looks: int, answers: Iterator[bool]) -> int | None:
    return _wait(cast("Any", Tool(looks)), cast("Any", Server(answers)))


def test_a_server_that_answers_nothing_while_a_tool_measures_it_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_runs, "SILENT_S", 0.0)
    with pytest.raises(HungError, match="asked 2 times"):
        waited(9, iter([True, False, False]))


def test_one_that_is_busy_for_one_question_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_runs, "SILENT_S", 0.0)
    assert waited(9, iter([True, False, True, False, True, True, False, True, True])) == 0


def test_it_is_not_asked_at_every_look() -> None:
    assert waited(9, repeat(False)) == 0

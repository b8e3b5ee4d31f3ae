"""A server that hangs is given up in time, wherever it hangs; one that is slow is waited for."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from runners import measure, silence
from runners.engines import control
from runners.engines.control import HungError
from runners.load import drive
from runners.load.plan import Workload
from runners.load.schedule import Closed, Load, Open
from runners.measure import Options
from runners.silence import S, Silence
from tests.runners.load.script import HEAD
from tests.runners.load.server import Answer, Asked, Server, framed, obedient, tokens_of
from tests.runners.load.test_measure import PATIENT

if TYPE_CHECKING:
    from collections.abc import Callable


class Now(Executor):
    """Does it at once."""

    def submit(self, fn: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*given, **named))
        return done


class Watched:
    """A silence by a clock of the test's own, and the questions that were asked."""

    def __init__(self, *, answers: bool, request_s: float = 600.0) -> None:
        self.now_s, self.asked_at = 0.0, list[float]()
        self.answers = answers
        self.silence = Silence(self.ask, request_s, clock=lambda: int(self.now_s * S), executor=Now())

    def ask(self) -> bool:
        self.asked_at.append(self.now_s)
        return self.answers

    def until(self, end_s: float, since_s: float | None) -> None:
        """Second by second."""
        while self.now_s < end_s:
            self.now_s += 1
            self.silence.heard(None if since_s is None else int(since_s * S))


def test_a_server_that_says_nothing_at_all_is_given_up_within_half_a_minute() -> None:
    watched = Watched(answers=False)
    with pytest.raises(HungError, match="neither its counters nor its health"):
        watched.until(60, 0)
    assert watched.asked_at == [20]
    assert watched.now_s + 2 * control.ANSWER_S <= 30


def test_a_slow_server_is_asked_now_and_then_and_waited_for_as_long_as_a_request_may_take_and_a_while_more() -> None:
    watched = Watched(answers=True)
    watched.until(619, 0)
    assert watched.asked_at[:3] == [20, 31, 42]
    with pytest.raises(HungError, match="no request had a byte for 620 s"):
        watched.until(700, 0)


def test_bytes_and_a_pause_between_requests_end_a_silence() -> None:
    watched = Watched(answers=False)
    watched.until(19, 0)
    watched.until(38, 19)
    watched.until(100, None)
    assert watched.asked_at == []


def test_an_answer_that_comes_after_the_silence_is_of_no_account() -> None:
    watched = Watched(answers=False)
    watched.until(20, 0)
    watched.until(30, 19)
    assert watched.asked_at == [20]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same limits, a hundred times shorter."""
    for module, name in (
        (silence, "SILENT_S"), (silence, "AGAIN_S"), (control, "SILENT_S"), (control, "ANSWER_S"), (drive, "LOOK_S"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, getattr(module, name) / 100)


TWO = Closed(2)


def options(url: str, load: Load = TWO, processes: int = 1, timeout_s: float = 600.0) -> Options:
    return Options(
        url, "m", Workload(16, 12), load, requests=8, seed=5, limits=PATIENT, processes=processes, timeout_s=timeout_s
    )


def told(_: str) -> None:
    """Progress that nobody watches."""


def at_first_byte(_: Asked) -> Answer:
    return Answer([], "hang")


def mid_stream(asked: Asked) -> Answer:
    return Answer([HEAD, *framed(tokens_of(asked)[:3])], "hang")


@pytest.mark.parametrize("load", [Closed(2), Open(1000.0)], ids=["closed", "open"])
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("hangs", [at_first_byte, mid_stream])
@pytest.mark.usefixtures("impatient")
def test_a_server_that_hangs_in_a_run_ends_it(hangs: Callable[[Asked], Answer], processes: int, load: Load) -> None:
    silent = threading.Event()

    def script(asked: Asked) -> Answer:
        if asked.order < 4:
            return obedient(asked)
        silent.set()
        return hangs(asked)

    def beside(*_: str) -> tuple[int, str] | None:
        return None if silent.is_set() else (404, "")

    with Server(script, control=beside) as url, pytest.raises(HungError, match="nor its health"):
        measure.measure(options(url, load, processes), told)


@pytest.mark.usefixtures("impatient")
def test_a_server_that_takes_connections_and_no_request_hangs() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as deaf, pytest.raises(HungError):
        measure.measure(options(f"http://127.0.0.1:{deaf.getsockname()[1]}"), told)


@pytest.mark.usefixtures("impatient")
def test_a_server_whose_requests_hang_while_it_answers_beside_them_is_given_up_after_what_a_request_may_take() -> None:
    server = Server(lambda asked: obedient(asked) if asked.order < 5 else at_first_byte(asked))
    with server as url, pytest.raises(HungError, match="although the server answers beside them"):
        measure.measure(options(url, Closed(1), timeout_s=0.5), told)
    assert len(server.requests) - 5 <= 2, "nothing more is sent to a server that has lost a request and the next"


@pytest.mark.usefixtures("impatient")
def test_a_slow_server_that_answers_beside_its_requests_is_measured() -> None:
    prefilled, asked_beside = threading.Event(), 0

    def script(asked: Asked) -> Answer:
        wanted = obedient(asked)
        return wanted if asked.order < 6 else Answer(wanted.writes, held=prefilled)

    def beside(*_: str) -> tuple[int, str]:
        nonlocal asked_beside
        asked_beside += 1
        if asked_beside > 3:  # the first was whether there are counters
            prefilled.set()
        return 404, ""

    with Server(script, control=beside) as url:
        (run,) = measure.measure(options(url), told).runs
    assert asked_beside > 3
    assert run.metrics.failed == 0


@pytest.mark.parametrize("hangs", [at_first_byte, mid_stream])
@pytest.mark.usefixtures("impatient")
def test_one_request_that_is_lost_is_one_failure_and_no_hanging_server(hangs: Callable[[Asked], Answer]) -> None:
    server = Server(lambda asked: hangs(asked) if asked.order == 3 else obedient(asked), control=lambda *_: None)
    with server as url:
        run = measure.begin(options(url, timeout_s=0.15), told).repeat(1)
    assert [kind for kind in run.trace.words["failure"] if kind] == ["timeout"]


@pytest.mark.parametrize("path", ["/metrics", "/reset_prefix_cache"])
@pytest.mark.usefixtures("impatient")
def test_a_server_that_hangs_between_two_runs_is_known_by_what_is_asked_of_it(path: str) -> None:
    hangs = threading.Event()

    def beside(_: str, at: str) -> tuple[int, str] | None:
        if hangs.is_set() and at in {path, control.HEALTH}:
            return None
        return 200, "vllm:generation_tokens_total 4\n" if at == "/metrics" else ""

    with Server(obedient, control=beside) as url:
        session = measure.begin(replace(options(url), flush_cache=True), told)
        hangs.set()
        with pytest.raises(HungError, match=f"{path} had no answer"):
            session.repeat(1)

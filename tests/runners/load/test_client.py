"""The client on real sockets: what it sends, and what it makes of servers that behave and that do not."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from runners.load import plan, processes
from runners.load.connect import read_url
from runners.load.plan import Source, Workload
from runners.load.schedule import Closed, Load, Open, Sessions
from runners.load.wire import Dialect
from tests.runners.load.script import DONE, HEAD, LAST_CHUNK, piece, usage
from tests.runners.load.server import Answer, Asked, Script, Server, framed, obedient, tokens_of

if TYPE_CHECKING:
    from runners.load.count import Counted

WORK = Workload(8, 6)
ROOT = Path(__file__).parents[3]


def send(url: str, load: Load, number: int, *, timeout_s: float = 60.0, work: Workload = WORK) -> processes.Ran:
    target = read_url(url)
    make = plan.sessions if isinstance(load, Sessions) else plan.requests
    wanted = plan.serials_of(number, work) if isinstance(load, Sessions) else number
    shots = make(target, Dialect("m"), work, range(wanted), Source(1))
    ran = processes.run(processes.plan(target, load, shots, timeout_s), 1, silent)
    ran.rows.sort(key=lambda row: row.index)
    return ran


def measuring(url: str, *more: str) -> list[str]:
    work = ["--model", "m", "--input-tokens", "4", "--output-tokens", "2"]
    return [sys.executable, "-m", "runners", "measure", url, *work, *more]


def silent(*_: object) -> None:
    """Progress that nobody watches."""


def failures(rows: list[Counted]) -> list[str | None]:
    return [row.failure for row in rows]


def first_then(first: Answer, later: Script = obedient) -> Script:
    """The first request is answered so, the others by the later script."""
    return lambda asked: first if asked.order == 0 else later(asked)


def test_a_closed_loop_keeps_its_connections_and_its_concurrency() -> None:
    server = Server(obedient)
    with server as url:
        ran = send(url, Closed(3), 12)
    assert failures(ran.rows) == [None] * 12
    assert [row.output_tokens for row in ran.rows] == [6] * 12
    assert [row.event_tokens.tolist() for row in ran.rows] == [[1] * 6 + [0, 0]] * 12
    assert (server.connections, server.most, len(server.requests)) == (3, 3, 12)
    assert len(ran.opened_ns) == 3
    assert all(row.opened_ns is None for row in ran.rows)


def test_a_concurrency_above_the_accept_backlog_is_reached() -> None:
    server = Server(obedient)
    with server as url:
        assert failures(send(url, Closed(200), 200).rows) == [None] * 200
    assert server.connections == 200


def test_events_of_one_byte_a_write_are_the_same_events() -> None:
    def slowly(asked: Asked) -> Answer:
        whole = b"".join([HEAD, *framed(tokens_of(asked)), LAST_CHUNK])
        return Answer([whole[place : place + 1] for place in range(len(whole))])

    with Server(slowly) as url:
        rows = send(url, Closed(2), 4).rows
    assert failures(rows) == [None] * 4
    assert [row.event_tokens.tolist() for row in rows] == [[1] * 6 + [0, 0]] * 4


@pytest.mark.parametrize(
    "end",
    [b"0;last=1\r\n\r\n", b"000\r\n\r\n", b"0\r\nServer-Timing: x\r\nA: b\r\n\r\n"],
    ids=["ext", "zeros", "trailer"],
)
def test_unusual_ends_of_a_chunked_body_are_ends(end: bytes) -> None:
    server = Server(lambda asked: Answer([HEAD, *framed(tokens_of(asked)), end[:4], end[4:]]))
    with server as url:
        assert failures(send(url, Closed(1), 3).rows) == [None] * 3
    assert server.connections == 1


def test_crlf_streams_end_where_they_end() -> None:
    def crlf(asked: Asked) -> Answer:
        parts = [part.replace(b"\n", b"\r\n") for part in tokens_of(asked)]
        return Answer([HEAD, *framed(parts), LAST_CHUNK])

    server = Server(crlf)
    with server as url:
        assert failures(send(url, Closed(2), 6).rows) == [None] * 6
    assert server.connections == 2


def test_a_connection_that_the_server_closes_is_opened_again_and_its_time_told_apart() -> None:
    head = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    server = Server(lambda asked: Answer([head, *framed(tokens_of(asked)), LAST_CHUNK], "close"))
    with server as url:
        rows = send(url, Closed(1), 3).rows
    assert failures(rows) == [None] * 3
    assert server.connections == 3
    assert [row.opened_ns is None for row in rows] == [True, False, False]


def test_a_body_that_only_a_close_ends_is_read_to_its_end() -> None:
    head = b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    with Server(lambda asked: Answer([head, *tokens_of(asked)], "close")) as url:
        assert failures(send(url, Closed(1), 2).rows) == [None] * 2


def test_nothing_is_sent_twice_when_a_connection_breaks() -> None:
    server = Server(first_then(Answer([], "close")))
    with server as url:
        rows = send(url, Closed(1), 3).rows
    assert failures(rows) == ["no_answer", None, None]
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("first", "failure"),
    [
        (Answer([HEAD, *framed([piece(ids=True)])], "reset"), "truncated"),
        (Answer([HEAD, *framed([piece(ids=True)])], "close"), "truncated"),
        (Answer([HEAD, *framed([piece(ids=True)]), b"5\r\nda"], "close"), "truncated"),
        (Answer([HEAD[:20]], "close"), "not_http"),
        (Answer([], "reset"), "no_answer"),
        (Answer([b"SSH-2.0-x\r\n"]), "not_http"),
        (Answer([b"HTTP/1.1 500 Oh no\r\nContent-Length: 2\r\n\r\n", b"{}"]), "status"),
        (Answer([b"HTTP/1.1 429 Slow down\r\nTransfer-Encoding: chunked\r\n\r\n", LAST_CHUNK]), "status"),
        (Answer([HEAD, b"x\r\n", b"y\r\n\r\n"], "close"), "truncated"),
        (Answer([HEAD, *framed([DONE]), LAST_CHUNK]), "no_tokens"),
        (Answer([HEAD, *framed([b"data: {nonsense\n\n"]), LAST_CHUNK]), "broken_json"),
        (Answer([HEAD, *framed([piece(ids=True)]), LAST_CHUNK]), "no_done"),
    ],
)
def test_one_bad_answer_costs_one_request(first: Answer, failure: str) -> None:
    server = Server(first_then(first))
    with server as url:
        rows = send(url, Closed(1), 3).rows
    assert failures(rows) == [failure, None, None]


def test_a_silent_server_is_given_up_at_the_time_limit() -> None:
    with Server(first_then(Answer([HEAD, *framed([piece(ids=True)])], "hang"))) as url:
        rows = send(url, Closed(1), 2, timeout_s=0.3).rows
    assert failures(rows) == ["timeout", None]
    assert len(rows[0].event_ns) == 1


def test_an_endless_line_is_cut_off() -> None:
    flood = Answer([HEAD, *framed([b"data: " + b"x" * 65_536] * 40)], "hang")
    with Server(first_then(flood)) as url:
        assert failures(send(url, Closed(1), 2).rows) == ["too_large", None]


def test_a_server_that_is_gone_fails_what_was_to_come() -> None:
    head = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

    def last_words(asked: Asked) -> Answer:
        server.refuse()
        return Answer([head, *framed(tokens_of(asked)), LAST_CHUNK], "close")

    server = Server(last_words)
    with server as url:
        rows = send(url, Closed(1), 3).rows
    assert failures(rows) == [None, "no_connection", "no_connection"]
    assert [row.sent_ns is None for row in rows] == [False, True, True]


def test_without_a_server_there_is_no_run() -> None:
    with Server(obedient) as url:
        pass
    with pytest.raises(OSError, match=r".+"):
        send(url, Closed(1), 1)


def test_requests_larger_than_any_socket_buffer_are_sent_whole() -> None:
    with Server(obedient) as url:
        rows = send(url, Closed(4), 8, work=Workload(60_000, 6)).rows
    assert failures(rows) == [None] * 8
    assert [row.prompt_tokens for row in rows] == [60_000] * 8


def test_nothing_in_the_load_client_reads_the_wall_clock() -> None:
    sources = sorted((ROOT / "runners/load").rglob("*.py"))
    assert len(sources) > 20
    assert not [source.name for source in sources if re.search(r"\btime\.time\b|datetime", source.read_text())]


def test_an_open_loop_sends_every_request_after_its_time() -> None:
    server = Server(obedient)
    with server as url:
        rows = send(url, Open(400, "poisson", seed=3), 40).rows
    assert failures(rows) == [None] * 40
    scheduled = [row.scheduled_ns or 0 for row in rows]
    assert scheduled == sorted(scheduled)
    assert all((row.sent_ns or 0) >= (row.scheduled_ns or 0) for row in rows)


def test_an_open_loop_opens_what_its_pool_lacks() -> None:
    server = Server(lambda _: Answer([], "hang"))
    with server as url:
        rows = send(url, Open(1000, "constant"), 40, timeout_s=0.5).rows
    assert failures(rows) == ["timeout"] * 40
    assert server.most == 40


def test_turns_of_a_session_are_sent_in_order_one_after_the_other() -> None:
    server = Server(obedient)
    with server as url:
        rows = send(url, Sessions(2), 4, work=Workload(4, 3, turns=3)).rows
    assert failures(rows) == [None] * 12
    for session in range(4):
        turns = [row for row in rows if row.session == session]
        assert [row.turn for row in turns] == [0, 1, 2]
        assert all((a.ended_ns or 0) <= (b.sent_ns or 0) for a, b in pairwise(turns))
    assert server.most == 2


def test_each_turn_of_a_session_is_counted_by_itself() -> None:
    def short_second_turn(asked: Asked) -> Answer:
        parts = tokens_of(asked)
        second = len(asked.body["prompt"]) > 4
        return Answer([HEAD, *framed([*parts[:1], usage(1, 11), DONE] if second else parts), LAST_CHUNK])

    with Server(short_second_turn) as url:
        rows = send(url, Sessions(1), 2, work=Workload(4, 3, turns=2)).rows
    assert [(row.turn, row.output_tokens, row.failure) for row in rows] == [(0, 3, None), (1, 1, "short_output")] * 2


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Of 127.0.0.1, signed by itself, with its key in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl makes the certificate")
    file = tmp_path / "own.pem"
    name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    made = [openssl, "req", "-x509", *key, *name, "-keyout", str(file), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(made, check=True, capture_output=True)
    file.write_text(file.read_text() + (tmp_path / "cert.pem").read_text())
    return file


def test_the_tls_handshake_is_told_apart_from_the_request(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    head = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    closing = Server(lambda asked: Answer([head, *framed(tokens_of(asked)), LAST_CHUNK], "close"), certificate)
    with closing as url:
        rows = send(url, Closed(1), 3).rows
    assert failures(rows) == [None] * 3
    assert [row.tls_ns is None for row in rows] == [True, False, False]


def test_a_server_whose_certificate_nobody_vouches_for_is_not_measured(certificate: Path) -> None:
    with Server(obedient, certificate) as url, pytest.raises(OSError, match="certificate verify failed"):
        send(url, Closed(1), 1)


def test_several_processes_send_everything_once() -> None:
    server = Server(obedient)
    with server as url:
        target = read_url(url)
        shots = plan.requests(target, Dialect("m"), WORK, range(9), Source(1))
        ran = processes.run(processes.plan(target, Closed(3), shots, 60.0), 2, silent)
    assert sorted(row.index for row in ran.rows) == list(range(9))
    assert failures(ran.rows) == [None] * 9
    assert (len(ran.cpu_ns), len(ran.lags), server.connections) == (2, 2, 3)


def test_processes_that_cannot_connect_say_so() -> None:
    with Server(obedient) as url:
        target = read_url(url)
    shots = plan.requests(target, Dialect("m"), WORK, range(4), Source(1))
    with pytest.raises(OSError, match=r".+"):
        processes.run(processes.plan(target, Closed(2), shots, 5.0), 2, silent)


@pytest.mark.parametrize("several", ["1", "2"])
def test_an_interrupted_measurement_ends_at_once_with_a_word(several: str) -> None:
    under_way = threading.Event()

    def silent_after_readiness(asked: Asked) -> Answer:
        if asked.order == 0:
            return obedient(asked)
        if asked.order == 2:
            under_way.set()
        return Answer([], "hang")

    with Server(silent_after_readiness) as url:
        more = ["--concurrency", "2", "--requests", "4", "--processes", several]
        client = subprocess.Popen(measuring(url, *more), cwd=ROOT, stderr=subprocess.PIPE, text=True)
        assert under_way.wait(60)
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=60)
    assert (client.returncode, said.splitlines()[-1]) == (130, "interrupted: no result")
    assert "Traceback" not in said


def test_more_connections_than_the_usual_limit_of_open_files_are_opened() -> None:
    """The limit is that of a process of its own, since a process may only raise its soft one."""
    server = Server(obedient)
    with server as url:
        client = measuring(url, "--concurrency", "80", "--requests", "80", "--json")
        limited = ["sh", "-c", 'ulimit -Sn 60 && exec "$@"', "sh", *client]
        said = subprocess.run(limited, cwd=ROOT, capture_output=True, text=True, check=False)
    assert server.most == 80, said.stderr
    assert '"failed": 0' in said.stdout

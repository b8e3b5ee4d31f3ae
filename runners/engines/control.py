"""What is asked of a running server beside its completions: its counters, and to empty its prefix cache."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from app.protocol.engines import ENGINES
from runners.engines import counters

if TYPE_CHECKING:
    from app.protocol.engines.table import Engine
    from runners.engines.counters import Counters

SETTLED_S = 5.0  # an engine books the last tokens of a run within that time of having sent them ...
QUIET_S = 0.5  # ... and has booked them all when nothing changed for that long
PAUSE_S = 0.1
BUSY_TRIES = 10  # a server that has just sent its last token may still call itself busy
BUSY_PAUSE_S = 0.2
SILENT_S = 20.0  # that a server may answer nothing before it is asked whether it is there ...
ANSWER_S = 4.0  # ... and that each of the two questions waits: one that hangs is known within 30 s
HEALTH = "/health"  # of every engine
_NO_SUCH_PATH = frozenset({404, 405, 501})


class ControlError(Exception):
    """The server's counters cannot be read."""


class HungError(Exception):
    """The server is there and answers nothing any more."""


@dataclass(frozen=True, slots=True)
class Flushed:
    """The answer to the request to empty the prefix cache; `done` is None where it says nothing."""

    status: int
    answer: str
    done: bool | None


def client(root: str, api_key: str | None) -> httpx.Client:
    """For the server at that URL; a proxy that the machine may have is not for measured servers. Every request has a
    connection of its own: one that is kept may be ended by the server just when the next request goes out on it."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    alone = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=root, headers=headers, timeout=30, trust_env=False, limits=alone)


def answers(root: str, api_key: str | None, metrics: str | None = None) -> bool:
    """Whether the server says anything at all, be it that it has no such page. Its counters are asked for first: that
    costs it least. One whose port is closed has ended, and does not hang."""
    with client(root, api_key) as http:
        return any(_says(http, path) for path in (metrics or "/metrics", HEALTH))


def _says(http: httpx.Client, path: str) -> bool:
    try:
        with http.stream("GET", path, timeout=ANSWER_S):
            return True
    except httpx.TimeoutException:
        return False
    except (httpx.HTTPError, httpx.InvalidURL):
        return True


def scrape(http: httpx.Client, url: str = "/metrics") -> Counters:
    """The counters now. ControlError: there are none of an engine that is known. HungError: nothing answers."""
    try:
        said = http.get(url, timeout=SILENT_S)
        if said.next_request is not None and _origin(said.next_request.url) == _origin(said.url):
            said = http.send(said.next_request)  # vLLM's /metrics lies at /metrics/; nothing leads to another server
        found = counters.read(said.text) if said.status_code == 200 else None
    except httpx.TimeoutException as error:
        _still_there(http, url)
        raise ControlError(f"{url}: no answer within {SILENT_S:g} s") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise ControlError(f"{url}: {error or type(error).__name__}") from error
    if said.status_code != 200:
        raise ControlError(f"{url}: status {said.status_code}")
    if found is None:
        raise ControlError(f"{url}: no counters of an engine that Benchcard knows")
    return found


def _still_there(http: httpx.Client, path: str) -> None:
    if not _says(http, HEALTH):
        raise HungError(f"{path} had no answer within {SILENT_S:g} s, and its health none within {ANSWER_S:g} s")


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def scrape_settled(http: httpx.Client, url: str = "/metrics") -> Counters:
    """The counters when they no longer change. ControlError and HungError as above."""
    found = scrape(http, url)
    start = changed = time.monotonic()
    while time.monotonic() < min(changed + QUIET_S, start + SETTLED_S):
        time.sleep(PAUSE_S)
        now = scrape(http, url)
        if now != found:
            found, changed = now, time.monotonic()
    return found


def flush(http: httpx.Client, engine: Engine | None) -> Flushed:
    """Empty the prefix cache in that engine's way, or in the first that the server knows, and read the answer.
    HungError: nothing answers."""
    said = Flushed(404, "no way to flush is known", False)
    for candidate in [engine] if engine else ENGINES.values():
        said = _flush(http, candidate)
        if said.status not in _NO_SUCH_PATH:
            break
    return said


def _flush(http: httpx.Client, engine: Engine) -> Flushed:
    for _ in range(BUSY_TRIES):
        try:
            said = http.post(engine.flush.path, timeout=SILENT_S)
        except httpx.TimeoutException:
            _still_there(http, engine.flush.path)
            return Flushed(0, f"no answer within {SILENT_S:g} s", False)
        except httpx.HTTPError as error:
            return Flushed(0, f"{error or type(error).__name__}", False)
        done = engine.flush.done(said.text) if said.status_code == 200 else False
        if done is not False or said.status_code in _NO_SUCH_PATH:
            break
        time.sleep(BUSY_PAUSE_S)
    return Flushed(said.status_code, said.text.strip(), done)

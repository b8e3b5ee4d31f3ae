"""Many senders, slow senders, strangers and those who leave: none of them keeps the others from the server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app import uploads
from app.results import intake
from tests.api.test_imports import IMPORTS, VLLM, kept
from tests.site import Site, open_site
from tests.web.test_import_pages import signed_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from app.db import Database
    from tests.conftest import StillClock

DATA = VLLM.read_bytes()
FORM = {"Content-Type": "multipart/form-data; boundary=b"}
HEAD = b'--b\r\nContent-Disposition: form-data; name="file"; filename="r.json"\r\n\r\n'


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def together(site: Site, work: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Any:
    """Run `work` with a client whose requests share one event loop."""

    async def run() -> Any:
        transport = httpx.ASGITransport(site.client.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test") as client:
            return await work(client)

    return asyncio.run(run())


@pytest.fixture
def bearer(site: Site) -> dict[str, str]:
    return {"Authorization": f"Bearer {site.token()}"}


def test_files_that_wait_to_be_read_take_no_thread_from_the_others(site: Site, bearer: dict[str, str]) -> None:
    turn = site.client.app.state.intake.readings

    async def work(client: httpx.AsyncClient) -> None:
        for _ in range(intake.READINGS):
            await turn.acquire()
        sent = [asyncio.create_task(client.post(IMPORTS, content=DATA, headers=bearer)) for _ in range(45)]
        for _ in range(45):  # each request gets as far as it can
            assert (await client.get("/healthz")).status_code == 200
        assert not any(task.done() for task in sent)
        for _ in range(intake.READINGS):
            turn.release()
        assert {answer.status_code for answer in await asyncio.gather(*sent)} == {201}

    together(site, work)


@pytest.mark.parametrize("page", [False, True])
def test_beyond_those_who_wait_a_sender_is_told_to_come_again(
    site: Site, bearer: dict[str, str], monkeypatch: pytest.MonkeyPatch, page: bool
) -> None:
    monkeypatch.setattr(intake, "UPLOADS", 1)
    monkeypatch.setattr(intake, "WAITING", 0)
    cookie = signed_in(site)

    async def work(client: httpx.AsyncClient) -> None:
        here, go_on = asyncio.Event(), asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            here.set()
            await go_on.wait()
            yield DATA

        first = asyncio.create_task(client.post(IMPORTS, content=slow(), headers=bearer))
        await asyncio.wait_for(here.wait(), 60)
        if page:
            second = await client.post("/import", files={"file": ("r.json", DATA)}, headers=cookie)
            assert "Too many files are on their way" in second.text
        else:
            second = await client.post(IMPORTS, content=DATA, headers=bearer)
            assert second.json()["error"]["code"] == "busy"
        assert (second.status_code, second.headers["retry-after"]) == (503, "30")
        go_on.set()
        assert (await first).status_code == 201
        assert (await client.post(IMPORTS, content=DATA, headers=bearer)).status_code == 201

    together(site, work)


@pytest.mark.parametrize("page", [False, True])
def test_an_upload_that_stops_coming_is_ended(site: Site, monkeypatch: pytest.MonkeyPatch, page: bool) -> None:
    monkeypatch.setattr(uploads, "LONGEST_SILENCE_S", 0.01)
    headers = {**signed_in(site), **FORM} if page else {"Authorization": f"Bearer {site.token()}"}

    async def silent() -> AsyncIterator[bytes]:
        yield HEAD + DATA[:100] if page else DATA[:100]
        await asyncio.Event().wait()

    answer = together(
        site, lambda client: client.post("/import" if page else IMPORTS, content=silent(), headers=headers)
    )
    assert answer.status_code == 408
    assert "othing came for" in answer.text
    assert kept(site) == []


@pytest.mark.parametrize("cross_site", [False, True])
def test_nothing_of_a_stranger_s_file_is_taken(site: Site, cross_site: bool) -> None:
    taken = 0

    async def counted() -> AsyncIterator[bytes]:
        nonlocal taken
        taken += 1
        yield HEAD

    headers = {**signed_in(site), "Sec-Fetch-Site": "cross-site", **FORM} if cross_site else FORM
    answer = together(site, lambda client: client.post("/import", content=counted(), headers=headers))
    assert (answer.status_code, taken) == (403 if cross_site else 401, 0)


def test_a_form_s_file_comes_into_the_folder_of_files_and_leaves_nothing(site: Site) -> None:
    lying: list[str] = []

    async def half() -> AsyncIterator[bytes]:
        yield HEAD + b"x" * 3_000_000
        lying.extend(kept(site))
        yield b"x"

    headers = {**signed_in(site), **FORM}
    answer = together(site, lambda client: client.post("/import", content=half(), headers=headers))
    assert (answer.status_code, "ends in the middle" in answer.text) == (422, True)
    assert [name.startswith("arriving-") for name in lying] == [True]
    assert kept(site) == []


async def leave(site: Site, path: str, headers: dict[str, str], messages: list[dict[str, Any]]) -> list[Any]:
    """Ask as a server does for a client that is gone after `messages`; what would have been answered."""
    answers: list[Any] = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": ("x", 1),
        "server": ("bench.test", 80), "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        answers.append(message)

    await site.client.app(scope, receive, send)
    return answers


@pytest.mark.parametrize("page", [False, True])
def test_who_breaks_off_an_upload_leaves_nothing_and_no_failure(site: Site, page: bool) -> None:
    headers = {**signed_in(site), **FORM} if page else {"Authorization": f"Bearer {site.token()}"}
    begun = [{"type": "http.request", "body": HEAD, "more_body": True}]
    asyncio.run(leave(site, "/import" if page else IMPORTS, headers, begun))
    assert kept(site) == []


def test_a_file_whose_sender_has_gone_is_not_read(site: Site, bearer: dict[str, str]) -> None:
    turn = site.client.app.state.intake.readings

    async def work() -> None:
        for _ in range(intake.READINGS):
            await turn.acquire()
        await leave(site, IMPORTS, bearer, [{"type": "http.request", "body": DATA, "more_body": False}])
        assert turn.locked(), "nobody took a turn to read it"

    asyncio.run(work())
    assert kept(site) == []


def form_of(*parts: bytes) -> bytes:
    return b"".join(b"--b\r\n" + part + b"\r\n" for part in parts) + b"--b--\r\n"


FIELD = b'Content-Disposition: form-data; name="format"\r\n\r\n'
FILE = HEAD.removeprefix(b"--b\r\n")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "ends in the middle"),
        (b"nonsense", "no form"),
        (form_of(FILE + DATA, FILE + DATA), "one file at a time"),
        (form_of(FILE.replace(b"file", b"other", 1) + DATA, FIELD + b"auto"), "one file at a time, in"),
        (form_of(*[FIELD + b"auto"] * 9), "too many fields"),
        (form_of(FIELD + b"x" * 5000), "too long"),
        (form_of(b"X: " + b"y" * 100_000), "no form"),
    ],
)
def test_what_is_no_form_with_a_file_is_told(site: Site, body: bytes, said: str) -> None:
    headers = {**signed_in(site), **FORM}
    answer = site.client.request("POST", "/import", content=body, headers=headers)
    assert answer.status_code == 422, answer.text
    assert said in answer.text
    assert kept(site) == []
    for kind in ("multipart/form-data", "text/plain", "multipart/form-data; boundary=" + "b" * 500):
        assert (
            site.client.request("POST", "/import", content=body, headers={**headers, "Content-Type": kind}).status_code
            == 422
        )

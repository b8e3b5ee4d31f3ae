"""The runner's HTTP: one call -> one answer, within a time-out over all of it. Proxies come from the environment."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from app.protocol.lease import Finished, LeaseReply, Renewal, Stored
from runners import spool as spools
from runners.calls import AskFinish, AskLease, AskStart, Beat, Refused, Said, SendLog, SendPart, Unheard

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from runners.calls import Answer, Call
    from runners.spool import Spool

CALL_S = 20.0  # shorter than a lease waits for its acknowledgement: a lost reply is asked for again in time
SLOWEST = 50_000  # bytes/s that a part is given time for beside that
ANSWER_BYTES = 1 << 20
_BLOCK = 1 << 18
PASSING = frozenset({408, 425, 429})  # statuses, beside those from 500 on, that say nothing about the call itself


class _Error(BaseModel):
    model_config = ConfigDict(extra="ignore")
    code: str
    message: str
    expected: int | None = None


class _ErrorBody(BaseModel):
    model_config = ConfigDict(extra="ignore")
    error: _Error


class Client:
    """Calls to one app with one token."""

    def __init__(self, server: str, token: str, spool: Spool, call_s: float = CALL_S) -> None:
        self._spool, self._call_s = spool, call_s
        headers = {"Authorization": f"Bearer {token}"}
        timeout = httpx.Timeout(call_s, connect=min(10.0, call_s))
        self._http = httpx.AsyncClient(base_url=server.rstrip("/"), headers=headers, timeout=timeout)

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(self, call: Call) -> Answer:
        """Never raises for what a network, a server or a disk can do."""
        try:
            return await self._asked(call)
        except OSError as error:
            return Refused(0, "unreadable", f"what was kept on disk cannot be read: {error}")

    async def _asked(self, call: Call) -> Answer:
        match call:
            case AskLease(request):
                return await self._post("lease", request, LeaseReply)
            case AskStart(held, start):
                return await self._post(f"jobs/{held.job_id}/start", start, Renewal)
            case Beat(held, beat):
                return await self._post(f"jobs/{held.job_id}/heartbeat", beat, Renewal)
            case AskFinish(held, finish):
                return await self._post(f"jobs/{held.job_id}/finish", finish, Finished)
            case SendLog(held, offset):
                data = self._spool.log(held, offset)
                params = {"epoch": held.epoch, "offset": offset}
                return await self._put(f"jobs/{held.job_id}/log", data, params, {}, len(data))
            case SendPart(held, name):
                return await self._part(call, self._spool.part(held, name))

    async def _part(self, call: SendPart, file: Path) -> Answer:
        size = file.stat().st_size
        digest = base64.b64encode(await asyncio.to_thread(spools.digest, file)).decode()
        headers = {"Content-Digest": f"sha-256=:{digest}:", "Content-Length": str(size)}
        path = f"jobs/{call.held.job_id}/parts/{quote(call.name, safe='')}"
        return await self._put(path, _blocks(file), {"epoch": call.held.epoch}, headers, size)

    async def _post(self, path: str, body: BaseModel, shape: type[BaseModel]) -> Answer:
        headers = {"Content-Type": "application/json"}
        return await self._send("POST", path, shape, self._call_s, content=body.model_dump_json(), headers=headers)

    async def _put(
        self, path: str, data: bytes | AsyncIterator[bytes], params: dict[str, Any], headers: dict[str, str], size: int
    ) -> Answer:
        limit = self._call_s + size / SLOWEST
        headers = {"Content-Type": "application/octet-stream", **headers}
        return await self._send("PUT", path, Stored, limit, content=data, params=params, headers=headers)

    async def _send(self, method: str, path: str, shape: type[BaseModel], limit_s: float, **options: Any) -> Answer:
        try:
            async with (
                asyncio.timeout(limit_s),
                self._http.stream(method, f"/api/v1/runner/{path}", **options) as answer,
            ):
                body = b""
                async for data in answer.aiter_bytes():
                    body += data
                    if len(body) > ANSWER_BYTES:
                        return Unheard(f"an answer of more than {ANSWER_BYTES} bytes")
        except TimeoutError:
            return Unheard(f"no answer within {limit_s:g} s")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return Unheard(str(error) or f"the connection broke before the answer was whole ({type(error).__name__})")
        return _read(answer.status_code, body, shape)


def _read(status: int, body: bytes, shape: type[BaseModel]) -> Answer:
    if status == 200:
        try:
            return Said(shape.model_validate_json(body))  # type: ignore[arg-type]  # one of the four shapes that are asked for
        except ValidationError:
            return Unheard("the answer has another shape; is it Benchcard of this version?")
    try:
        said = _ErrorBody.model_validate_json(body).error
    except ValidationError:  # a proxy on the way has its own pages
        return Unheard(f"status {status}, and no answer of Benchcard")
    if status in PASSING or status >= 500:
        return Unheard(f"{said.message} (status {status})")
    return Refused(status, said.code, said.message, said.expected)


async def _blocks(file: Path) -> AsyncIterator[bytes]:
    with file.open("rb") as opened:
        while data := opened.read(_BLOCK):
            yield data

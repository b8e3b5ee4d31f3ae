"""A file on its way in, and the one who sends it: neither silence nor somebody who has gone is waited for."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import ClientDisconnect

from app.errors import TooSlowError
from app.language import _

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from fastapi import Request

T = TypeVar("T")
LONGEST_SILENCE_S = 30


async def incoming(request: Request) -> AsyncIterator[bytes]:
    """The body's bytes as they come. Raises TooSlowError where nothing comes for long, ClientDisconnect."""
    async with aclosing(request.stream()) as stream:
        while True:
            try:
                async with asyncio.timeout(LONGEST_SILENCE_S):
                    part = await anext(stream, None)
            except TimeoutError as error:
                raise TooSlowError(
                    _("nothing came for {seconds} s; send the file again").format(seconds=LONGEST_SILENCE_S)
                ) from error
            if part is None:
                return
            yield part


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, which is given up once the sender, whose body is all here, has gone.

    Raises ClientDisconnect.
    """
    doing, gone = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({doing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientDisconnect
        return doing.result()
    finally:
        doing.cancel()
        gone.cancel()
        await asyncio.gather(doing, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

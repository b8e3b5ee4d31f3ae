"""A writing request is done once, however often it is sent: the API's side of app.replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.responses import Response

from app.accounts.store import note_use
from app.api.access import database
from app.errors import AppError
from app.replay.store import ReplayKey, Reply, earlier, once

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import Request
    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.api.bodies import Body
    from app.db import Database


def once_only(
    request: Request, actor: Actor, key: str | None, body: Body, prepare: Callable[[], Callable[[Session], Reply]]
) -> Response:
    """Answer as before where the key was seen, else do the work once. What `prepare` refuses is not remembered."""
    storage, now = database(request), request.app.state.clock.now()
    path = request.url.path
    replay = ReplayKey.of(actor.id, key, request.method, path, body.media_type, body.data) if key else None
    try:
        work = prepare()
    except AppError:
        old = _earlier(storage, replay)  # what was right then may be wrong by now; the answer stands
        if old is None:
            raise
        return answer(old, again=True)

    def noted(session: Session) -> Reply:
        note_use(session, actor, now)
        return work(session)

    reply, again = once(storage, replay, now, noted)
    return answer(reply, again=again)


def _earlier(storage: Database, key: ReplayKey | None) -> Reply | None:
    if key is None:
        return None
    with storage.read() as session:
        return earlier(session, key)


def answer(reply: Reply, *, again: bool) -> Response:
    headers = {"Location": reply.location} if reply.location else {}
    if again:
        headers["Idempotent-Replayed"] = "true"
    return Response(reply.body, reply.status, headers, "application/json")

"""An answer with the mark of its content: 304 to whoever has it as it is."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from fastapi.responses import Response

from app.marks import is_known, unchanged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import Request


def marked(request: Request, body: str, media_type: str, headers: Mapping[str, str]) -> Response:
    mark = sha256(body.encode()).hexdigest()[:32]
    return marked_bytes(request, mark, body.encode, f"{media_type}; charset=utf-8", headers)


def marked_bytes(
    request: Request, content: str, make: Callable[[], bytes], media_type: str, headers: Mapping[str, str]
) -> Response:
    """`content`: what marks the body; it is made only for those who have another one."""
    # Weak, because it goes out compressed or not under the same mark.
    mark = f'W/"{content}"'
    given = {**headers, "ETag": mark}
    if is_known(request, mark):
        return unchanged(given)
    return Response(make(), media_type=media_type, headers=given)

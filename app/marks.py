"""The mark of an answer's content (ETag): whoever has it as it is gets 304, of a file no byte."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi.responses import FileResponse, Response

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi import Request
    from starlette.background import BackgroundTask

ZIP = "application/zip"


def is_known(request: Request, mark: str) -> bool:
    """Whether an If-None-Match names it; weak and strong marks compare alike there (RFC 9110, 13.1.2)."""
    given = request.headers.get("if-none-match", "")
    named = [item.strip().removeprefix("W/") for item in given.split(",")]
    return given.strip() == "*" or mark.removeprefix("W/") in named


def unchanged(headers: dict[str, str], background: BackgroundTask | None = None) -> Response:
    """304. The compression says itself what it varies by only of what has a body."""
    given = {**headers, "Vary": "Accept-Encoding"}
    return Response(None, HTTPStatus.NOT_MODIFIED, given, background=background)


def marked_file(
    request: Request, path: Path, sha256: str, media_type: str, name: str, background: BackgroundTask | None = None
) -> Response:
    """A file with its SHA-256 as its mark, offered under a name."""
    # Weak where it may go out compressed under the same mark; a zip never does, and a part of it can be asked for.
    headers = {"ETag": f'"{sha256}"' if media_type == ZIP else f'W/"{sha256}"'}
    if is_known(request, headers["ETag"]):
        return unchanged(headers, background)
    return FileResponse(path, headers=headers, media_type=media_type, filename=name, background=background)

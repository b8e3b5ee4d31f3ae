"""Static files: kept for ever under the address that marks their content, asked about again under any other."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.responses import FileResponse
from starlette.staticfiles import NotModifiedResponse

from app.web.render import static_mark

if TYPE_CHECKING:
    import os

    from starlette.responses import Response
    from starlette.staticfiles import PathLike
    from starlette.types import Scope

FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


class MarkedFiles(StaticFiles):
    """Starlette's, with what caches need to know."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        found = FileResponse(full_path, status_code=status_code, stat_result=stat_result)
        unchanged = self.is_not_modified(found.headers, Headers(scope=scope))
        # Weak, because the file goes out compressed or not under the same mark.
        found.headers["etag"] = f"W/{found.headers['etag']}"
        marks = parse_qs(scope["query_string"].decode("latin-1")).get("v", [])
        path = scope["path"].removeprefix(f"{scope.get('root_path', '')}/")
        found.headers["cache-control"] = FOR_EVER if marks == [static_mark(path)] else ASK_AGAIN
        if not unchanged:
            return found
        found.headers["vary"] = "Accept-Encoding"  # the compression says so only of what has a body
        return NotModifiedResponse(found.headers)

"""Pieces of a log as text that is safe to show. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.language import _, number
from app.web.contexts import Link, Shell
from app.web.job_contexts import LogPage, LogPart, LogTail
from app.web.job_page import EVERY_S
from app.web.job_words import size
from app.web.state import address

if TYPE_CHECKING:
    from app.jobs.rows import LogPiece

TAIL = 32 * 1024  # bytes of the end that a page shows at first ...
MOST_GROWN = 256 * 1024  # ... and what it may grow to before it begins with the end again
A_PAGE = 128 * 1024  # bytes that the log's own page shows at once
TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# Also what turns the order of letters, so that a line is read as it was written.
UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def shown(data: bytes) -> str:
    """Bytes of a log as text: without colours and other orders to a terminal, a progress bar's states each a line."""
    text = TERMINAL_CODES.sub("", data.decode(errors="replace"))
    return UNSHOWN.sub("", re.sub(r"\r+\n?", "\n", text))


def whole_lines(data: bytes, *, ended: bool) -> bytes:
    """The piece to its last line's end: the rest comes with the next one. A log that has ended is taken whole, and so
    is a piece without any line's end, but for half a character."""
    if ended:
        return data
    cut = data.rfind(b"\n") + 1
    return data[:cut] if cut else data[: _characters(data)]


def _characters(data: bytes) -> int:
    """How many of the bytes are whole characters of UTF-8."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if needed > back else len(data)
    return len(data)


def tail(job_id: str, piece: LogPiece, began: int, *, growing: bool) -> LogTail:
    """`began`: where what the page shows begins."""
    ended = not growing
    data = whole_lines(piece.data, ended=ended)
    asked = [("epoch", str(piece.epoch)), ("offset", str(piece.offset + len(data))), ("began", str(began))]
    url = "" if ended else address(f"/jobs/{job_id}/log", asked)
    return LogTail(shown(data), url, EVERY_S)


def log_part(job_id: str, piece: LogPiece, *, growing: bool) -> LogPart | None:
    """The end of a log for the job's page; None where no attempt has one."""
    if piece.epoch == 0 or (not piece.size and not growing):
        return None
    data = piece.data
    if piece.offset:  # begin with a whole line
        data = data[data.find(b"\n") + 1 :]
    start = piece.offset + len(piece.data) - len(data)
    begun = type(piece)(piece.epoch, start, data, piece.size, piece.ended)
    left_out = _("The {start} before are not shown.").format(start=size(start)) if start else ""
    whole = Link(_("the whole log"), address(f"/jobs/{job_id}/log", [("epoch", str(piece.epoch))]))
    return LogPart(tail(job_id, begun, start, growing=growing), left_out, whole)


def log_page(job_id: str, what: str, attempt: int, piece: LogPiece) -> LogPage:
    """A piece of the log of a job's so many-th attempt as a page of its own."""
    data = whole_lines(piece.data, ended=piece.offset + len(piece.data) >= piece.size)
    end = piece.offset + len(data)
    epoch = ("epoch", str(piece.epoch))
    path = f"/jobs/{job_id}/log"
    return LogPage(
        shell=Shell(_("Log of {what}").format(what=what), _("What the runner and the engine said."), "/jobs"),
        heading=_("Log of attempt {attempt}: {what}").format(attempt=attempt, what=what),
        job_url=f"/jobs/{job_id}",
        place=_("Bytes {offset} to {end} of {size}").format(
            offset=number(piece.offset), end=number(end), size=number(piece.size)
        ),
        text=shown(data),
        first_url=address(path, [epoch]) if piece.offset else "",
        next_url=address(path, [epoch, ("offset", str(end))]) if end < piece.size else "",
        last_url=address(path, [epoch, ("offset", str(max(0, piece.size - TAIL)))]) if end < piece.size else "",
        raw_url=address(f"/api/v1/jobs/{job_id}/log", [epoch]),
    )

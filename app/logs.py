"""Logs: one JSON object a line to standard error, for machines that collect them. No line holds a secret."""

from __future__ import annotations

import datetime as dt
import json
import logging
import re
import sys
from contextvars import ContextVar

REQUEST: ContextVar[str | None] = ContextVar("request", default=None)  # id of the request that is being answered

# Nothing here logs a secret knowingly. What a library's message or a trace repeats is cut to what identifies it.
SECRETS = (
    (re.compile(r"(bcr_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+"), r"\1..."),  # a token: its id stays
    (re.compile(r"(\blink=)[A-Za-z0-9_-]+"), r"\1..."),
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@\"]*:)[^\s@\"]+@"), r"\1...@"),  # a password in an address
)


class JsonFormatter(logging.Formatter):
    """Time in UTC, level, logger, request, message; a record's `fields`, each by itself; an exception and its trace."""

    def format(self, record: logging.LogRecord) -> str:
        moment = dt.datetime.fromtimestamp(record.created, dt.UTC)
        entry: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        request = REQUEST.get()
        if request:
            entry["request"] = request
        entry["message"] = record.getMessage()
        entry |= getattr(record, "fields", {})
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        line = json.dumps(entry, ensure_ascii=False, default=str)
        for secret, left in SECRETS:
            line = secret.sub(left, line)
        return line


def start_logging() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)

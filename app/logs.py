"""Logs: one JSON object a line to standard error, for machines that collect them."""

from __future__ import annotations

import datetime as dt
import json
import logging
import sys

LONGEST = 2000  # characters of an address that are logged


class JsonFormatter(logging.Formatter):
    """Time in UTC, level, logger and message; a request's parts as fields; an exception with its trace."""

    def format(self, record: logging.LogRecord) -> str:
        moment = dt.datetime.fromtimestamp(record.created, dt.UTC)
        entry: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name == "uvicorn.access" and isinstance(record.args, tuple) and len(record.args) == 5:
            client, method, path, _, status = record.args
            entry |= {"client": client, "method": method, "path": str(path)[:LONGEST], "status": status}
        else:
            entry["message"] = record.getMessage()
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False, default=str)


def start_logging() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)

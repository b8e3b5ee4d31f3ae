"""Requests as bytes, made before the run: HTTP/1.1 head and JSON body, ready to be written. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runners.load.connect import Target

Endpoint = Literal["completions", "chat"]
Asking = Literal["token_ids", "usage"]  # token_ids: ids and usage with each event; usage: usage at the end alone


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server is asked: by which endpoint, for which counts, for which model, with which key."""

    model: str
    endpoint: Endpoint = "completions"
    asking: Asking = "token_ids"
    api_key: str | None = None


def request(target: Target, dialect: Dialect, prompt: Sequence[int] | str, output_tokens: int) -> bytes:
    """One request. Exactly `output_tokens` are asked for, the end of text ignored, at temperature 0."""
    body: dict[str, object] = {"model": dialect.model}
    if dialect.endpoint == "chat":
        body["messages"] = [{"role": "user", "content": prompt}]
    else:
        body["prompt"] = prompt
    body |= {"max_tokens": output_tokens, "min_tokens": output_tokens, "ignore_eos": True, "temperature": 0}
    body |= {"stream": True, "stream_options": {"include_usage": True}}
    if dialect.asking == "token_ids":
        body["stream_options"] = {"include_usage": True, "continuous_usage_stats": True}
        body["return_token_ids"] = True
    path = "/chat/completions" if dialect.endpoint == "chat" else "/completions"
    payload = json.dumps(body, separators=(",", ":")).encode()
    return _head(target, path, dialect.api_key, len(payload)) + payload


def _head(target: Target, path: str, api_key: str | None, length: int) -> bytes:
    lines = [
        f"POST {target.path}{path} HTTP/1.1",
        f"Host: {target.host_header}",
        "User-Agent: benchcard",
        "Accept: text/event-stream",
        "Accept-Encoding: identity",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        "Connection: keep-alive",
    ]
    if api_key:
        lines.append(f"Authorization: Bearer {api_key}")
    return "\r\n".join([*lines, "", ""]).encode("ascii")

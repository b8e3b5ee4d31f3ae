"""A small OpenAI-compatible server that fails as no real one would on demand, for making fixtures with real load tools.

It answers every fourth request with status 500 and stops the others at half the asked length.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

MODEL = "faulty"
TTFT_S = 0.02
TOKEN_S = 0.004
DEFAULT_TOKENS = 16


class ScriptedServer:
    """`async with ScriptedServer() as url:`; listens on a free loopback port."""

    def __init__(self) -> None:
        self.requests = itertools.count(1)
        self.server: asyncio.Server | None = None

    async def __aenter__(self) -> str:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self.server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    async def __aexit__(self, *_: object) -> None:
        assert self.server is not None
        self.server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode().partition("?")[0]
                body = await reader.readexactly(_length(head))
                await self._answer(path, body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        if not path.endswith("/completions"):
            listed = {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "x"}]}
            await _send(writer, json.dumps(listed if path.endswith("/models") else {}).encode())
            return
        asked = json.loads(body)
        if next(self.requests) % 4 == 0:
            await _send(writer, b'{"error": {"message": "scripted failure", "code": 500}}', "500 Internal Server Error")
            return
        await self._complete(asked, path.endswith("/chat/completions"), writer)

    async def _complete(self, asked: dict[str, Any], chat: bool, writer: asyncio.StreamWriter) -> None:
        tokens = asked.get("max_completion_tokens") or asked.get("max_tokens") or DEFAULT_TOKENS
        made = max(1, tokens // 2)
        usage = {"prompt_tokens": _prompt_tokens(asked), "completion_tokens": made}
        usage["total_tokens"] = usage["prompt_tokens"] + made
        letters = "".join(chr(ord("a") + index % 26) for index in range(made))
        finish = "stop" if made < tokens else "length"
        kind = ("chat.completion.chunk" if asked.get("stream") else "chat.completion") if chat else "text_completion"
        base = {"id": "cmpl-1", "created": 1, "model": MODEL, "object": kind}
        if not asked.get("stream"):
            whole = {**base, "choices": [_choice(letters, chat, finish, whole=True)], "usage": usage}
            await _send(writer, json.dumps(whole).encode())
            return
        head = ("HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked", "Connection: close")
        writer.write(("\r\n".join(head) + "\r\n\r\n").encode())
        await _pause(TTFT_S)
        for index, letter in enumerate(letters):
            if index:
                await _pause(TOKEN_S)
            last = finish if index + 1 == made else None
            await _event(writer, {**base, "choices": [_choice(letter, chat, last, whole=False)]})
        if (asked.get("stream_options") or {}).get("include_usage"):
            await _event(writer, {**base, "choices": [], "usage": usage})
        await _chunk(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        writer.close()


def _choice(text: str, chat: bool, finish: str | None, *, whole: bool) -> dict[str, Any]:
    content = {"role": "assistant", "content": text}
    part: dict[str, Any] = {("message" if whole else "delta"): content} if chat else {"text": text}
    return {"index": 0, "finish_reason": finish, **part}


def _prompt_tokens(asked: dict[str, Any]) -> int:
    """Of the byte-level tokenizer that make_fixtures.py writes: one token a byte."""
    prompt = asked.get("prompt")
    if isinstance(prompt, list) and prompt and isinstance(prompt[0], int):
        return len(prompt)
    said = prompt if prompt is not None else [message.get("content") for message in asked.get("messages", [])]
    parts = said if isinstance(said, list) else [said]
    return sum(len(_text(part).encode()) for part in parts)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content)


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


async def _pause(seconds: float) -> None:
    await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=seconds)


async def _event(writer: asyncio.StreamWriter, event: dict[str, Any]) -> None:
    await _chunk(writer, b"data: " + json.dumps(event).encode() + b"\n\n")


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def _send(writer: asyncio.StreamWriter, body: bytes, status: str = "200 OK") -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()

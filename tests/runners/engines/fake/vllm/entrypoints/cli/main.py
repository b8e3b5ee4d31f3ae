"""Stands for an engine where no engine is needed: takes vLLM's arguments and serves as the model's name says."""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import struct
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    given: argparse.Namespace
    generated = prompted = 0
    flushed = False

    broken = False  # this connection

    def do_GET(self) -> None:
        if self.broken:
            self.reset()
            return
        said = {"/version": {"version": "9.9.9"}, "/server_info?config_format=json": {"arguments": sys.argv[1:]}}
        if self.path.startswith("/server_info") and self.given.model == "breaks":
            self.broken = True
            self.say(500, "no pip")
        elif self.path == "/metrics":
            counted = {"generation": Handler.generated, "prompt": Handler.prompted}
            lines = (f'vllm:{name}_tokens_total{{engine="0"}} {number}\n' for name, number in counted.items())
            self.say(200, "".join(lines))
        else:
            self.say(200, json.dumps(said.get(self.path, {})))

    def reset(self) -> None:
        """As uvicorn may after an answer of 500: the connection ends under the next request."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "{}")
        if self.path == "/reset_prefix_cache":
            Handler.flushed = True
            self.say(200, '{"success":true}')
        elif self.given.model == "mute":
            threading.Event().wait()
        elif self.given.model == "dies":
            sys.stderr.write("RuntimeError: the worker died\n")
            os._exit(0)
        elif asked["model"] != self.given.served_model_name or not self.known():
            self.say(404, "no such model")
        elif asked.get("stream"):
            self.stream(asked)
        else:
            tokens = asked["max_tokens"] - (self.given.model == "short")
            self.count(asked)
            self.say(200, json.dumps({"usage": {"prompt_tokens": len(asked["prompt"]), "completion_tokens": tokens}}))

    def count(self, asked: dict[str, Any]) -> None:
        Handler.generated += asked["max_tokens"]
        Handler.prompted += len(asked["prompt"])

    def stream(self, asked: dict[str, Any]) -> None:
        """A token an event, then the usage. The model `hangs` answers no more after a few, `stays` not once it is
        measured, which begins with an empty cache; `freezes` stops altogether then."""
        silent = {"hangs": Handler.generated > 20, "stays": Handler.flushed}
        if silent.get(self.given.model):
            threading.Event().wait()
        if self.given.model == "freezes" and Handler.flushed:
            os.kill(os.getpid(), signal.SIGSTOP)
        self.count(asked)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        wanted = asked["max_tokens"]
        for place in range(wanted):
            finish = "length" if place == wanted - 1 else None
            self.event({"choices": [{"index": 0, "text": "a", "token_ids": [place], "finish_reason": finish}]})
        prompt = len(asked["prompt"])
        usage = {"prompt_tokens": prompt, "completion_tokens": wanted, "total_tokens": prompt + wanted}
        self.event({"choices": [], "usage": usage})
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def event(self, value: dict[str, Any]) -> None:
        self.chunk(f"data: {json.dumps({'object': 'text_completion', **value})}\n\n".encode())

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def known(self) -> bool:
        return self.headers["Authorization"] == f"Bearer {self.given.api_key}"

    def say(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the log is for the test's own lines."""


def bench() -> None:
    """`vllm bench serve`, as far as its result goes: one request after the other, and no clock."""
    parser = argparse.ArgumentParser(prog="vllm bench serve", allow_abbrev=False)
    for name in ("base-url", "model", "result-dir", "result-filename"):
        parser.add_argument(f"--{name}")
    for name in ("random-input-len", "random-output-len", "num-prompts"):
        parser.add_argument(f"--{name}", type=int)
    given, _ = parser.parse_known_args(sys.argv[3:])
    headers = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    body = {"model": given.model, "prompt": [0] * given.random_input_len, "max_tokens": given.random_output_len}
    for _ in range(given.num_prompts):
        asked = urllib.request.Request(f"{given.base_url}/v1/completions", json.dumps(body).encode(), headers)
        urllib.request.urlopen(asked).read()
    counted = {"completed": given.num_prompts, "total_output_tokens": given.num_prompts * given.random_output_len}
    wrote = {**counted, "duration": 1.0, "output_throughput": 1.0, "mean_ttft_ms": 1.0}
    (Path(given.result_dir) / given.result_filename).write_text(json.dumps(wrote))


def main() -> None:
    if sys.argv[1] == "bench":
        bench()
        return
    parser = argparse.ArgumentParser(prog="vllm serve", allow_abbrev=False)
    parser.add_argument("serve")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--api-key")
    parser.add_argument("--served-model-name")
    parser.add_argument("--max-num-seqs", type=int)
    parser.add_argument("--load-format")
    parser.add_argument("--revision")
    parser.add_argument("--enable-prompt-tokens-details", action=argparse.BooleanOptionalAction)
    parser.add_argument("--generation-config")
    if sys.argv[2:] == ["--help=all"]:
        parser.print_help()
        return
    Handler.given = parser.parse_args()
    if Handler.given.model == "fails":
        sys.exit("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
    if Handler.given.model == "lingers":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if Handler.given.model != "never":
        ThreadingHTTPServer((Handler.given.host, Handler.given.port), Handler).serve_forever()
    signal.pause()


main()

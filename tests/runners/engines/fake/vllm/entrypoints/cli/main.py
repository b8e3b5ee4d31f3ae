"""Stands for an engine where no engine is needed: takes vLLM's arguments and serves as the model's name says."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    given: argparse.Namespace

    def do_GET(self) -> None:
        said = {"/version": {"version": "9.9.9"}, "/server_info?config_format=json": {"arguments": sys.argv[1:]}}
        if self.path == "/metrics":
            self.say(200, 'vllm:generation_tokens_total{engine="0"} 4\n')
        else:
            self.say(200, json.dumps(said.get(self.path, {})))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "{}")
        if self.path == "/reset_prefix_cache":
            self.say(200, '{"success":true}')
        elif self.given.model == "dies":
            sys.stderr.write("RuntimeError: the worker died\n")
            os._exit(0)
        elif asked["model"] != self.given.served_model_name or not self.known():
            self.say(404, "no such model")
        else:
            tokens = asked["max_tokens"] - (self.given.model == "short")
            self.say(200, json.dumps({"usage": {"prompt_tokens": len(asked["prompt"]), "completion_tokens": tokens}}))

    def known(self) -> bool:
        return self.headers["Authorization"] == f"Bearer {self.given.api_key}"

    def say(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the log is for the test's own lines."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="vllm serve", allow_abbrev=False)
    parser.add_argument("serve")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--api-key")
    parser.add_argument("--served-model-name")
    parser.add_argument("--max-num-seqs", type=int)
    if sys.argv[2:] == ["--help=all"]:
        parser.print_help()
        return
    Handler.given = parser.parse_args()
    if Handler.given.model == "fails":
        sys.exit("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
    if Handler.given.model != "never":
        ThreadingHTTPServer((Handler.given.host, Handler.given.port), Handler).serve_forever()
    signal.pause()


main()

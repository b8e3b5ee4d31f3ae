"""A runner to be killed: starts an engine, says so, and measures until it is ended. Arguments: ENGINE MODEL FOLDER."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from runners import measure
from tests.engines import stories


def main(engine: str, model: str, folder: str) -> None:
    with stories.serve(engine, Path(model), Path(folder)) as server:
        server.wait_ready(stories.READY_S)
        os.write(1, json.dumps({"port": server.own.port, "server": server.process.pid}).encode() + b"\n")
        measure.measure(
            stories.asked(server, runs=10_000),
            lambda said: print(said, flush=True),  # noqa: T201 - its output is what the test waits for
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

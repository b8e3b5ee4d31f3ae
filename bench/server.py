"""Our server as `benchcard serve` runs it, on the generated claims: no catalogue is loaded over them.

    python -m bench.server              serves until it is stopped
    python -m bench.server --on-demand  serves after each line `start` of its input, until the line `kill` (-9)

Importing is most of a start. On demand it is done once, and every server is a fork of that.
"""

from __future__ import annotations

import os
import signal
import sys

from app.serve import run_server
from app.settings import Settings


def on_demand() -> None:
    """Answers each line when it is done; the end of the input kills, too."""
    child = 0
    for command in sys.stdin:
        if command == "start\n":
            child = os.fork()
            if not child:
                silence = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silence, 1)
                os._exit(run_server(Settings()))
        else:
            _kill(child)
            child = 0
        print("done", flush=True)
    if child:
        _kill(child)


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--on-demand"]:
        on_demand()
    else:
        run_server(Settings())

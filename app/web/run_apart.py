"""A run's view (run_view.py) made in a process of its own, because a trace of a few KB can unpack to any number of GB.

Run as a program, this module is that process.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

from pydantic import TypeAdapter

from app.apart import ApartError, answer, apart
from app.language import N_, _, speaking, spoken
from app.locale import languages
from app.results.bundle import one_file
from app.web.run_view import RunView, run_view
from runners.load import trace_file
from runners.load.trace_file import TraceError, TraceTooLargeError

LONGEST_S = 60
MOST_MEMORY = 2 * 1024**3  # bytes of address space
MOST_BYTES = 128 << 20  # of a trace's columns once unpacked; a page draws none that is larger
AT_A_TIME = 2
KEPT = 64  # of some 50 KB each
UNREADABLE = N_("The trace of this run is not here or cannot be read.")
TOO_LARGE = N_("This trace is too large to be drawn here; its numbers stand above.")
BROKEN = (TraceError, OSError, BadZipFile, ValueError, TypeError, ArithmeticError, LookupError)


@dataclass(frozen=True)
class Made:
    """The view, or why there is none."""

    view: RunView | None
    trouble: str = ""


class RunViews:
    """Makes views, and keeps the newest: a file's name is the digest of its bytes, so what was read stays true."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, str], Made] = OrderedDict()
        self._turns = asyncio.Semaphore(AT_A_TIME)

    async def made(self, source: Path, within: str) -> Made:
        """Of a trace, or of the one that a bundle has at `within`."""
        code = spoken().code  # what is said in it is said there
        key = (source.name, within, code)
        if key not in self._kept:
            arguments = (str(source), within, code, str(MOST_MEMORY))
            try:
                async with self._turns:
                    said = await apart(
                        __name__, *arguments, longest_s=LONGEST_S, doing=N_("drawing it"), thing=N_("a trace")
                    )
            except ApartError as error:
                return Made(None, _("This run is not drawn: {error}.").format(error=error))
            self._kept[key] = await asyncio.to_thread(_MADE.validate_json, said)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


_MADE = TypeAdapter(Made)


def _made(source: Path, within: str) -> Made:
    try:
        if not within:
            return Made(run_view(trace_file.read(source, MOST_BYTES)))
        with tempfile.NamedTemporaryFile(prefix="trace-", suffix=".parquet") as made:
            made.writelines(one_file(source, within))
            made.flush()
            return _made(Path(made.name), "")
    except TraceTooLargeError:
        return Made(None, TOO_LARGE)
    except BROKEN:
        return Made(None, UNREADABLE)


def _main(source: str, within: str, code: str, most_memory: str) -> int:
    with speaking(languages()[code]):
        return answer(lambda: _MADE.dump_json(_made(Path(source), within)).decode(), int(most_memory))


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))

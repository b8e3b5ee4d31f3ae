"""A server's log on disk, bounded: its beginning and its end are kept, and what is missing between them is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO
    from pathlib import Path

HEAD = 1 << 20
TAIL = 3 << 20
_LONGEST = 1 << 16  # bytes of a line that are waited for


class BoundedLog:
    """Bytes to a file. Beyond `head` bytes the newest ones go to two files beside it, by turns, of half of `tail` each;
    `close` puts the end behind the beginning. A limit never changes what becomes of the process that prints, and a full
    disk does not either: what could not be written is counted as dropped."""

    def __init__(self, path: Path, head: int = HEAD, tail: int = TAIL) -> None:
        self.path = path
        self._room = head
        self._half = tail // 2
        self._beyond = 0  # bytes after the head
        self._newer, self._older = _halves(path)
        for part in (self._newer, self._older):
            part.unlink(missing_ok=True)
        self._head = path.open("wb", buffering=0)
        self._tail: FileIO | None = None

    def write(self, data: bytes) -> None:
        first, rest = data[: self._room], data[self._room :]
        self._beyond += len(data) - _put(self._head, first)
        self._room -= len(first)
        for start in range(0, len(rest), self._half):
            self._write_tail(rest[start : start + self._half])

    def _write_tail(self, data: bytes) -> None:
        if self._tail is not None and self._tail.tell() + len(data) > self._half:
            self._tail.close()
            self._newer.rename(self._older)
            self._tail = None
        if self._tail is None:
            self._tail = self._newer.open("wb", buffering=0)
        _put(self._tail, data)

    def close(self) -> int:
        """One file from now on. Returns how many bytes are left out of it."""
        if self._tail is not None:
            self._tail.close()
        kept = [part.read_bytes() for part in (self._older, self._newer) if part.exists()]
        dropped = self._beyond - sum(map(len, kept))
        if dropped:
            _put(self._head, b"\n[%d bytes of this log were dropped here]\n" % dropped)
        for data in kept:
            dropped += len(data) - _put(self._head, data)
        self._head.close()
        for part in (self._newer, self._older):
            part.unlink(missing_ok=True)
        return dropped


def _put(file: FileIO, data: bytes) -> int:
    """Write what the disk takes; returns how many bytes that were."""
    done = 0
    try:
        while done < len(data):
            done += file.write(data[done:]) or 0
    except OSError:
        pass
    return done


def _halves(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}.newer"), path.with_name(f"{path.name}.older")


def last_lines(path: Path, number: int) -> list[str]:
    """The last lines of a log, closed or still written; bytes that are no UTF-8 are shown as such."""
    newer, older = _halves(path)
    text = b"".join(_end(part) for part in (path, older, newer) if part.exists())
    return text.decode(errors="backslashreplace").splitlines()[-number:]


def _end(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - (1 << 16)))
        return file.read()


class Echo:
    """What a process prints, passed on line by line under a word, so that several can share one log."""

    def __init__(self, word: str, write: Callable[[bytes], object]) -> None:
        self._mark = f"[{word}] ".encode()
        self._write = write
        self._rest = b""

    def __call__(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            lines, self._rest = [*lines, self._rest], b""
        if lines:
            self._write(b"".join(self._mark + line + b"\n" for line in lines))

    def close(self) -> None:
        """A last line without an end is passed on too."""
        if self._rest:
            self(b"\n")

"""Catalogue files from the disk: their texts, and what kept the others from being read. Knows no database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.yaml_tree import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class Unread:
    """A file that could not be read. `text` is what there is of it, None where there is nothing."""

    problem: Problem
    text: str | None = None


def read_files(files: Iterable[Path]) -> tuple[list[tuple[str, str]], list[Unread]]:
    """(name, text) of every file that can be read, and the others: no file hides the problems of another."""
    texts: list[tuple[str, str]] = []
    unread: list[Unread] = []
    for file in files:
        read = _read(file)
        if isinstance(read, str):
            texts.append((str(file), read))
        else:
            unread.append(read)
    return texts, unread


def _read(file: Path) -> str | Unread:
    try:
        if not file.is_file():  # a pipe would be waited for without end
            return _refused(file, _what_it_is(file))
        data = file.read_bytes()
    except OSError as error:
        return _refused(file, f"cannot be read: {error.strerror}")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode()) + 1
        place = Place(data.count(b"\n", 0, error.start) + 1, column)
        problem = Problem(str(file), place, "", "this byte is not UTF-8; save the file as UTF-8")
        return Unread(problem, data.decode(errors="replace"))


def _refused(file: Path, message: str) -> Unread:
    return Unread(Problem(str(file), Place(1, 1), "", message))


def _what_it_is(file: Path) -> str:
    if file.is_dir():
        return "is a folder; only files may be named *.yaml here"
    if file.is_symlink():
        return "is a link to nothing; mend it or remove it"
    return "is no file; only files may be named *.yaml here" if file.exists() else "there is no such file"

"""Files kept by what they hold: one folder, a file's name is the SHA-256 of its bytes. A file is there whole or not."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import NoSpaceError, TooLargeError
from app.language import _

if TYPE_CHECKING:
    from types import TracebackType


ARRIVING = "arriving-"  # how the name of a file begins that is still coming in, or of a folder with what is in it


@dataclass(frozen=True)
class Kept:
    """A file's identity; the same bytes have the same one, whatever they were called."""

    sha256: str
    size: int


class Files:
    """The folder. Nothing in it is ever overwritten with other bytes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, sha256: str) -> Path:
        """Where the file lies, whether or not it is there."""
        return self._folder / relative(sha256)

    def arriving(self, most_bytes: int) -> Arriving:
        """A file that is still coming in; used as a context, it leaves nothing behind unless it is kept."""
        return Arriving(self, self._folder, most_bytes)


class Arriving:
    """Takes the bytes as they come. Every method raises NoSpaceError where the disk is full."""

    def __init__(self, files: Files, folder: Path, most_bytes: int) -> None:
        self._files = files
        self._most = most_bytes
        self._digest = hashlib.sha256()
        self._size = 0
        try:
            make_folder(folder)
            self._part = tempfile.NamedTemporaryFile(dir=folder, prefix=ARRIVING, delete=False)  # noqa: SIM115 (closed in __exit__)
        except OSError as error:
            raise told(error) from error
        self.path = Path(self._part.name)

    def __enter__(self) -> Arriving:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what a full disk did not take is still to be written, and nobody wants it any more
            self._part.close()
        self.path.unlink(missing_ok=True)

    def write(self, data: bytes) -> None:
        """Raises TooLargeError as soon as more has come than may."""
        self._size += len(data)
        if self._size > self._most:
            raise TooLargeError(_("a file here has at most {most} MB").format(most=self._most // 1024**2))
        self._digest.update(data)
        try:
            self._part.write(data)
        except OSError as error:
            raise told(error) from error

    def whole(self) -> Kept:
        """All bytes are here and can be read at `path`."""
        try:
            self._part.flush()
        except OSError as error:
            raise told(error) from error
        return Kept(self._digest.hexdigest(), self._size)

    def keep(self) -> Kept:
        """Give the file its name, on the disk to stay."""
        kept = self.whole()
        place = self._files.path(kept.sha256)
        try:
            os.fsync(self._part.fileno())
            place.parent.mkdir(exist_ok=True)
            self.path.replace(place)
            sync_folder(place.parent)
            sync_folder(place.parent.parent)  # the folder may be new, by another file's hand
        except OSError as error:
            raise told(error) from error
        return kept


def file_digest(file: Path) -> str:
    """The SHA-256 of what a file holds. Raises OSError."""
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def relative(sha256: str) -> str:
    """A kept file's place in the folder."""
    return f"{sha256[:2]}/{sha256}"


def make_folder(folder: Path) -> None:
    """Make a folder and those that it lies in, their names on the disk to stay."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """A new name survives a power cut once its folder is on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def told(error: OSError) -> OSError | NoSpaceError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return NoSpaceError(_("the server's disk is full; the file was not kept. Try again when there is room"))
    return error

"""The logs of attempts: one file each, in one folder. What was acknowledged is on the disk; the database says how much
that is, and bytes behind it are left over from a write that nobody was told of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.results.files import make_folder, sync_folder, told

if TYPE_CHECKING:
    from pathlib import Path


class Logs:
    """The folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, job_id: str, epoch: int) -> Path:
        """Where an attempt's log lies, whether or not it is there."""
        return self._folder / job_id / f"{epoch}.log"

    def read(self, job_id: str, epoch: int, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset` on; none where there is no log."""
        try:
            with self.path(job_id, epoch).open("rb") as log:
                log.seek(offset)
                return log.read(size)
        except FileNotFoundError:
            return b""

    def write(self, job_id: str, epoch: int, offset: int, data: bytes) -> None:
        """Put bytes there, on the disk to stay; whatever lay behind `offset` is gone. Raises NoSpaceError."""
        path = self.path(job_id, epoch)
        try:
            is_new = not path.exists()
            make_folder(path.parent)
            with path.open("wb" if is_new else "r+b") as log:
                log.truncate(offset)
                log.seek(offset)
                log.write(data)
                log.flush()
                os.fsync(log.fileno())
            if is_new:
                sync_folder(path.parent)
        except OSError as error:
            raise told(error) from error

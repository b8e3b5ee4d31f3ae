"""A model in the runner's own folder: what it is known by, beside its name."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MOST_READ = 64 << 20  # bytes: configuration, tokenizer and the weights' index; larger files are weights


def fingerprint(folder: Path) -> str:
    """SHA-256 over the lines `NAME SIZE SHA-256` of the folder's files, sorted by name: `-` stands for the hash of a
    file above 64 MiB, so weights count by name and size alone. OSError: it cannot be read."""
    lines = []
    for file in sorted(item for item in folder.iterdir() if item.is_file()):
        size = file.stat().st_size
        content = hashlib.sha256(file.read_bytes()).hexdigest() if size <= MOST_READ else "-"
        lines.append(f"{file.name} {size} {content}\n")
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()


def notes_of(folder: Path, revision: str | None) -> list[str]:
    """What a report says of it."""
    known = (
        f"the model is the runner's own folder {folder.name}: its files have the fingerprint {fingerprint(folder)} "
        "(weights above 64 MiB by name and size alone)"
    )
    return [known, *([f"that it is revision {revision} was not checked"] if revision else [])]

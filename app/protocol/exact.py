"""Exactly what a launch starts, and the digest that an approval of it is bound to: of its argv and environment too, so
that whoever adds an argument asks again. The app shows it, and a runner starts it, from here. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from app.protocol.engines.options import counted
from app.protocol.engines.recipe import RecipeError, of_launch, start

if TYPE_CHECKING:
    from app.protocol.engines.start import Start, Word
    from app.protocol.launch import Launch


def started(launch: Launch) -> Start:
    """By the census of its version. RecipeError: it has none, or the engine would not take the flags."""
    known = counted(launch.engine, launch.version)
    if known is None:
        raise RecipeError([f"the options of {launch.engine} {launch.version} have not been sorted yet"])
    return start(of_launch(launch, launch.model), known, "cuda" if launch.gpus else "cpu")


def canonical(launch: Launch) -> str:
    """The one text of a launch and its start: JSON with sorted keys and no blanks. A word without a place is a text of
    its own; the start is null where there is none, so that nothing runs."""
    try:
        found = started(launch)
    except RecipeError:
        found = None
    said = {"launch": launch.model_dump(mode="json"), "start": found and _said(found)}
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(launch: Launch) -> str:
    """SHA-256 of the canonical text: one other byte anywhere is another digest."""
    return hashlib.sha256(canonical(launch).encode()).hexdigest()


def _said(found: Start) -> dict[str, object]:
    return {
        "argv": [_word(word) for word in found.argv],
        "env": {name: _word(word) for name, word in found.env.items()},
    }


def _word(word: Word) -> str | dict[str, str]:
    return word.model_dump(exclude_none=True) if word.place or word.only_with else word.text

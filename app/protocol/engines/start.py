"""The command and the variables of a server, with named places for what is only known when it starts. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.protocol.engines.table import Place
from app.protocol.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.protocol.engines.table import Device, Engine

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
Given = dict[Place, str]  # what stands in the places at one start


class Word(Wire):
    """One argument, or the value of one variable. It is `text`, but for `{PLACE}` in it where it names a `place`; it is
    left out where nothing is given for `only_with`."""

    text: str
    place: Place | None = None
    only_with: Place | None = None

    def filled(self, given: Given) -> str | None:
        """As it is at one start; None where it is left out. What somebody has sent is never looked through."""
        if self.only_with is not None and self.only_with not in given:
            return None
        return self.text if self.place is None else self.text.replace(mark(self.place), given[self.place])


class Start(Wire):
    """All of both: nothing is added to it, the environment is built from nothing."""

    argv: tuple[Word, ...]
    env: dict[str, Word]

    def arguments(self, given: Given) -> list[str]:
        return [item for word in self.argv if (item := word.filled(given)) is not None]

    def variables(self, given: Given) -> dict[str, str]:
        return filled(self.env, given)


def mark(place: Place) -> str:
    """How a place is written."""
    return f"{{{place}}}"


def put(place: Place, only_with: Place | None = None) -> Word:
    """A word that is its place and no more."""
    return Word(text=mark(place), place=place, only_with=only_with)


def variables(engine: Engine, device: Device, asked: Mapping[str, str]) -> dict[str, Word]:
    """Every variable of a process of that engine; `asked` are those of a launch."""
    fixed = {
        "PYTHONUNBUFFERED": "1",  # the last line before a crash reaches the log
        "LANG": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        **engine.environment,
        **engine.device_environment.get(device, {}),
    }
    return {
        "PATH": Word(text=f"{mark('PROGRAMS')}:{SYSTEM_PATH}", place="PROGRAMS"),
        "HOME": put("SCRATCH"),
        "TMPDIR": put("SCRATCH"),
        "CUDA_VISIBLE_DEVICES": put("GPUS", "GPUS"),
        "HF_HOME": put("MODELS", "MODELS"),
        "PYTHONPATH": put("MODULES", "MODULES"),
        **{name: Word(text=value) for name, value in (fixed | dict(asked)).items()},
    }


def filled(env: Mapping[str, Word], given: Given) -> dict[str, str]:
    return {name: value for name, word in env.items() if (value := word.filled(given)) is not None}

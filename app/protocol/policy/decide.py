"""May this launch run: every part of it listed, with the answer and the reason. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import StringConstraints

from app.language import F_
from app.protocol.engines.start import mark
from app.protocol.engines.table import PLACES
from app.protocol.launch import FlagValue
from app.protocol.policy.advisories import advisories
from app.protocol.policy.levels import LEVELS, Judged, Level, together, worst
from app.protocol.unseen import first_unseen, visible
from app.protocol.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from app.protocol.launch import Launch
    from app.protocol.policy.census import Census

Pin = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}(/[A-Za-z0-9][A-Za-z0-9_.-]{0,95})?@[0-9a-f]{40}$"),
]
"""A model that may run unasked: `OWNER/NAME@COMMIT`, of a repository whose weights are safetensors."""

LOAD_FORMAT = "load-format"  # of both engines


class Item(Wire):
    """One part of a launch. `reason` is empty where it is allowed."""

    kind: Literal["version", "model", "weights", "flag", "env"]
    name: str
    value: FlagValue
    level: Level
    reason: str


class Decision(Wire):
    """`level` is the worst of the items'."""

    level: Level
    items: tuple[Item, ...]

    def against(self, level: Level) -> list[str]:
        """`name: reason` of every item of that level."""
        return [f"{item.name}: {item.reason}" for item in self.items if item.level == level]


def decide(launch: Launch, census: Census | None, models: Collection[str] = ()) -> Decision:
    """`census` is that of the launch's engine and version, None where there is none; `models` are pins."""
    items = (
        _version(launch, census),
        _model(launch, models),
        _item("weights", "weights", launch.weights, Judged("allow", "")),
        *_flags(launch, census),
        *_env(launch, census),
    )
    return Decision(level=max((item.level for item in items), key=LEVELS.index), items=items)


def _item(
    kind: Literal["version", "model", "weights", "flag", "env"], name: str, value: FlagValue, said: Judged
) -> Item:
    unseen = first_unseen(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    if unseen is not None:
        said = worst(
            Judged("never", F_("its value holds {unseen}, which nobody sees: write it without").format(unseen=unseen)),
            said,
        )
    place = next((mark(name) for name in PLACES if mark(name) in str(value)), None)
    if place is not None:
        shown = F_("its value holds {place}, and so is written what the runner puts in itself")
        said = worst(Judged("never", shown.format(place=place)), said)
    return Item(kind=kind, name=name, value=value, level=said.level, reason=visible(said.reason))


def _version(launch: Launch, census: Census | None) -> Item:
    known = [Judged(item.level, item.told) for item in advisories(launch.engine, launch.version) if not item.flags]
    if census is None:
        known.append(
            Judged(
                "never",
                F_("the options of {engine} {version} have not been sorted yet").format(
                    engine=launch.engine, version=launch.version
                ),
            )
        )
    return _item("version", launch.engine, launch.version, together([*known, Judged("allow", "")]))


def _model(launch: Launch, models: Collection[str]) -> Item:
    if launch.revision is None:
        said = Judged(
            "approve", F_("no commit of its repository is named: whatever it holds on that day would be loaded")
        )
        return _item("model", "model", launch.model, said)
    pin = f"{launch.model}@{launch.revision}"
    listed = (
        Judged("allow", "") if pin in models else Judged("approve", F_("not on the list of models that run unasked"))
    )
    return _item("model", "model", pin, listed)


def _flags(launch: Launch, census: Census | None) -> Iterator[Item]:
    weak = {flag: item for item in advisories(launch.engine, launch.version) for flag in item.flags}
    for name, value in launch.flags.items():
        said = census.flag(name, value) if census else Judged("never", F_("nothing is known of this version's options"))
        if name in weak:  # said beside what the census says of it in every version
            said = together([Judged("never", weak[name].told), said])
        if name == LOAD_FORMAT and (value == "dummy") != (launch.weights == "dummy"):
            said = worst(
                said,
                Judged(
                    "never",
                    F_("load-format {value} and {weights} weights contradict each other").format(
                        value=value, weights=launch.weights
                    ),
                ),
            )
        yield _item("flag", name, value, said)


def _env(launch: Launch, census: Census | None) -> Iterator[Item]:
    for name, value in launch.env.items():
        said = (
            census.variable(name, value)
            if census
            else Judged("never", F_("nothing is known of this version's variables"))
        )
        yield _item("env", name, value, said)

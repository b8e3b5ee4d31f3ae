"""What a launch would start, against what was approved before for the same engine and model. Pure."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from app.jobs.permission import decided
from app.jobs.rows import LaunchRow
from app.protocol.engines.recipe import RecipeError
from app.protocol.exact import canonical, started

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.jobs.rows import ApprovalRow
    from app.protocol.launch import Launch

MARKS: dict[str, Literal["same", "old", "new"]] = {"  ": "same", "- ": "old", "+ ": "new"}


@dataclass(frozen=True, slots=True)
class Changed:
    """A line of what would run: in both, only in what was approved, or only in what would run now."""

    kind: Literal["same", "old", "new"]
    text: str


def launch_row(key: str, launch: Launch, approval: ApprovalRow | None, approvals: Sequence[ApprovalRow]) -> LaunchRow:
    """`approvals`: all that were ever given, the newest first."""
    try:
        start, trouble = started(launch), ""
    except RecipeError as error:
        start, trouble = None, "; ".join(error.problems)
    earlier = before(launch, key, approvals)
    changes = tuple(changed(earlier, launch)) if earlier else ()
    return LaunchRow(key, launch, start, trouble, approval, decided(launch), earlier, changes)


def before(launch: Launch, digest: str, approvals: Sequence[ApprovalRow]) -> ApprovalRow | None:
    """The newest approval of another start of this engine with this model; `approvals` has the newest first."""
    for item in approvals:
        said = _launch(json.loads(item.launch))
        if item.digest != digest and (said["engine"], said["model"]) == (launch.engine, launch.model):
            return item
    return None


def changed(earlier: ApprovalRow, launch: Launch) -> Iterator[Changed]:
    """Line by line, as difflib tells it."""
    for line in difflib.ndiff(_lines(earlier.launch), _lines(canonical(launch))):
        if line[:2] in MARKS:
            yield Changed(MARKS[line[:2]], line[2:])


def _lines(text: str) -> list[str]:
    """Each key of the launch, each argument and each variable on a line of its own."""
    said = json.loads(text)
    start = said.get("start")
    launch = _launch(said)
    if start is None:
        return json.dumps(launch, indent=2, sort_keys=True).splitlines()
    more = [f"{name}: {json.dumps(launch[name])}" for name in sorted(launch) if name not in ("flags", "env")]
    env = [f"{name}={_text(word)}" for name, word in start["env"].items()]
    return [*more, *map(_text, start["argv"]), *env]


def _launch(said: dict[str, Any]) -> dict[str, Any]:
    """Approvals of earlier versions of Benchcard are of the launch alone."""
    found: dict[str, Any] = said.get("launch", said)
    return found


def _text(word: str | dict[str, str]) -> str:
    return word if isinstance(word, str) else word["text"]

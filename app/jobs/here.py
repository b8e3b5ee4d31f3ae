"""Whether a claim can be measured again by the runners that have registered here, or what they lack for it. Pure.

What a claim needs follows from its stored text, and is worked out once for each; what the runners have is compared
with it once for each set of runners. It says nothing of other places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.claims.queries import parsed
from app.jobs.flags import gpus_of
from app.jobs.matching import Needs, lacks, needs_of
from app.jobs.permission import decided
from app.jobs.plans import RELEASE, from_claim
from app.protocol.lease import Capabilities, EngineHere
from runners.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.schema import ClaimRow

Fleet = tuple[tuple[str, str], ...]  # every runner that ever registered: its name, and its Capabilities as JSON
KEPT = 2000  # claims, of about 6 KB each
SILENT = "the source states no "


class Here(BaseModel):
    """Whether a claim can be measured again on this installation's own runners."""

    model_config = ConfigDict(frozen=True)

    status: Literal["no_runner", "not_here", "lacks", "possible"] = Field(
        description="no_runner: none has registered yet; not_here: the runners lack what it needs; lacks: the claim "
        "does not state what a run needs; possible: a runner has it all"
    )
    text: str = Field(description="the reason, in a few words")


NO_RUNNER = Here(status="no_runner", text="no runner has registered here yet")


@dataclass(frozen=True)
class Wants:
    """What measuring a claim again needs, as far as it is known. `missing`: what has to be chosen first; `never`: why
    nobody may start it; `counted`: whether the number of GPUs is known, else one stands for it."""

    needs: Needs
    missing: tuple[str, ...]
    never: tuple[str, ...]
    counted: bool = True


def here(document: str, fleet: Fleet) -> Here:
    """`document` is the claim as it is stored."""
    return _here(_stored(document), fleet) if fleet else NO_RUNNER


def wants(claim: ClaimRow) -> Wants:
    planned = from_claim(claim, seed=0)
    if planned.plan is None:
        return Wants(_known_needs(claim), planned.missing, (), gpus_of(claim.conditions) is not None)
    sides = [side.launch for side in planned.plan.sides if side.launch]
    never = tuple(reason for launch in sides for reason in decided(launch, ()).against("never"))
    return Wants(needs_of(planned.plan, planned.accelerator), (), never)


@lru_cache(maxsize=KEPT)
def _stored(document: str) -> Wants:
    return wants(parsed(document))


def _known_needs(claim: ClaimRow) -> Needs:
    """Of a claim that makes no plan: the engine's release and the GPUs that it states."""
    given = claim.conditions
    gpus, version = gpus_of(given), given.engine.version
    name = next((name for name, item in ENGINES.items() if item.title == given.engine.name), None)
    known = name is not None and gpus is not None and version is not None and RELEASE.fullmatch(version)
    device = "cuda" if gpus else "cpu"
    engines = (EngineHere.model_validate({"name": name, "version": version, "device": device}),) if known else ()
    accelerator = given.hardware.accelerator
    return _only(engines=engines, gpus=gpus or (1 if accelerator else 0), accelerator=accelerator)


def _only(
    *, engines: tuple[EngineHere, ...] = (), gpus: int = 0, accelerator: str | None = None, wall_s: float = 0
) -> Needs:
    return Needs(engines=engines, gpus=gpus, accelerator=accelerator, attach=(), wall_s=wall_s)


@lru_cache(maxsize=2 * KEPT)
def _here(wanted: Wants, fleet: Fleet) -> Here:
    runners = {name: _capabilities(text) for name, text in fleet}
    able = [name for name, has in runners.items() if not lacks(wanted.needs, has)]
    if not able:
        parts = list(_parts(wanted.needs, counted=wanted.counted))
        unmet = [said for part, said in parts if all(lacks(part, has) for has in runners.values())]
        several = "" if unmet else ", all on one runner"
        return Here(status="not_here", text=f"needs {' and '.join(unmet or [said for _, said in parts])}{several}")
    if wanted.never:
        return Here(status="not_here", text=f"may not be started: {wanted.never[0]}")
    if wanted.missing:
        return Here(status="lacks", text=_first(wanted.missing))
    return Here(status="possible", text=f"can be tried on {', '.join(able[:3])}{' and others' if able[3:] else ''}")


def _parts(needs: Needs, *, counted: bool) -> Iterator[tuple[Needs, str]]:
    """Each need by itself, with its words."""
    if needs.gpus:
        many = f"{needs.gpus}x {needs.accelerator}" if needs.accelerator else f"{needs.gpus} GPUs"
        said = many if counted else str(needs.accelerator)
        yield _only(gpus=needs.gpus, accelerator=needs.accelerator), said
    for item in needs.engines:
        place = "the CPU" if item.device == "cpu" else "GPUs"
        yield _only(engines=(item,)), f"{ENGINES[item.name].title} {item.version} for {place}"
    if needs.wall_s:
        yield _only(wall_s=needs.wall_s), f"a time limit of {needs.wall_s:g} s"


def _first(missing: tuple[str, ...]) -> str:
    """`no engine version is stated, and 2 things more`."""
    first = f"no {missing[0].removeprefix(SILENT)} is stated" if missing[0].startswith(SILENT) else missing[0]
    more = len(missing) - 1
    return first + (f", and {more} {'thing' if more == 1 else 'things'} more" if more else "")


@lru_cache(maxsize=200)
def _capabilities(text: str) -> Capabilities:
    return Capabilities.model_validate_json(text)

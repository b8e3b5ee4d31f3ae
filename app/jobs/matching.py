"""What a job needs, what a runner has, and what is missing between them. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from app.cards import names
from app.jobs.permission import decided
from app.language import _, number
from app.protocol.english import counted
from app.protocol.lease import EngineHere
from app.protocol.plan import BenchTool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.protocol.lease import Capabilities
    from app.protocol.plan import Plan

# How a board is built and how much memory it has, behind the name of the chip: `H100 80GB HBM3`, `A100-SXM4-40GB`.
BOARD = re.compile(r"(?:[ -](?:SXM\d?|\d+ ?GB|HBM\d\w?))+$", re.IGNORECASE)


class Needs(BaseModel):
    """`accelerator` in the catalogue's spelling; None runs on any. With two sides `gpus` are those of the larger one:
    their servers run by turns. `models` are pins that need approval where a runner does not list them, `flags` the
    names of all that are set; `asks`: something else of it needs approval everywhere. `tools` are load tools that
    measure by turns with Benchcard's client."""

    model_config = ConfigDict(frozen=True)

    engines: tuple[EngineHere, ...]
    gpus: int
    accelerator: str | None
    attach: tuple[str, ...]
    wall_s: float
    models: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    asks: bool = False
    tools: tuple[BenchTool, ...] = ()

    def text(self) -> str:
        """The one spelling: equal needs are equal text."""
        return self.model_dump_json()


def needs_of(plan: Plan, accelerator: str | None = None) -> Needs:
    launches = [side.launch for side in plan.sides if side.launch]
    wanted = {(item.engine, item.version, item.gpus > 0) for item in launches}
    gpus = max((item.gpus for item in launches), default=0)
    asking = [item for launch in launches for item in decided(launch).items if item.level == "approve"]
    pinned = [item for item in asking if item.kind == "model" and "@" in str(item.value)]
    return Needs(
        engines=tuple(
            EngineHere(name=name, version=version, device="cuda" if on_gpu else "cpu")
            for name, version, on_gpu in sorted(wanted)
        ),
        gpus=gpus,
        accelerator=names.gpu(accelerator) if gpus else None,
        attach=tuple(sorted({side.attach.address for side in plan.sides if side.attach})),
        wall_s=plan.wall_s,
        models=tuple(sorted({str(item.value) for item in pinned})),
        flags=tuple(sorted({flag for launch in launches for flag in launch.flags})),
        asks=len(asking) > len(pinned),
        tools=tuple(sorted(plan.tools)),
    )


def lacks(needs: Needs, has: Capabilities, *, approved: bool) -> list[str]:
    """Why a runner does not take a job: what it would need besides what it has, and what its own policy refuses, one
    sentence each. `approved`: a maintainer has approved every launch that needs it."""
    of_machine = [
        *_engines(needs, has),
        *_gpus(needs, has),
        *_addresses(needs, has),
        *_tools(needs, has),
        *_time(needs, has),
    ]
    return [*of_machine, *_denied(needs, has), *_unasked(needs, has, approved=approved)]


def chip(name: str) -> str | None:
    """A GPU by the name that its driver gives it, in the catalogue's spelling."""
    return names.gpu(BOARD.sub("", name.strip()))


def _engines(needs: Needs, has: Capabilities) -> Iterator[str]:
    for wanted in needs.engines:
        if wanted in has.engines:
            continue
        place = _("the CPU") if wanted.device == "cpu" else _("GPUs")
        here = [item.version for item in has.engines if (item.name, item.device) == (wanted.name, wanted.device)]
        engine = f"{wanted.name} {wanted.version}"
        if here:
            said = _("it has no {engine} for {place}, only {versions}")
            yield said.format(engine=engine, place=place, versions=_listed(here))
        else:
            yield _("it has no {engine} for {place}").format(engine=engine, place=place)


def _gpus(needs: Needs, has: Capabilities) -> Iterator[str]:
    if needs.accelerator is None:
        if len(has.gpus) < needs.gpus:
            yield _("it has {found} of the {needed} needed").format(
                found=counted(len(has.gpus), "GPU") if has.gpus else _("no GPU"), needed=needs.gpus
            )
        return
    chips = [chip(gpu.name) or gpu.name for gpu in has.gpus]
    if chips.count(needs.accelerator) < needs.gpus:
        found = _listed([f"{chips.count(name)}x {name}" for name in sorted(set(chips))]) if chips else _("no GPU")
        yield _("it has no {needed}, but {found}").format(needed=f"{needs.gpus}x {needs.accelerator}", found=found)


def _addresses(needs: Needs, has: Capabilities) -> Iterator[str]:
    for address in needs.attach:
        if address not in has.attach:
            yield _("its list of servers to measure does not name {address}").format(address=address)


def _tools(needs: Needs, has: Capabilities) -> Iterator[str]:
    for tool in needs.tools:
        if tool not in has.tools:
            yield _("its configuration names no Python for {tool} (site.tools)").format(tool=tool)


def _time(needs: Needs, has: Capabilities) -> Iterator[str]:
    if needs.wall_s > has.wall_s:
        yield _("it takes jobs of at most {most} s, this one may take {asked} s").format(
            most=number(has.wall_s, "g"), asked=number(needs.wall_s, "g")
        )


def _denied(needs: Needs, has: Capabilities) -> Iterator[str]:
    for flag in needs.flags:
        if flag in has.denied_flags:
            yield _("its owner lets nobody set --{flag} there").format(flag=flag)
    if has.max_gpus is not None and needs.gpus > has.max_gpus:
        yield _("it gives at most {most} to a job, this one needs {count}").format(
            most=counted(has.max_gpus, "GPU"), count=needs.gpus
        )


def _unasked(needs: Needs, has: Capabilities, *, approved: bool) -> Iterator[str]:
    if approved and has.approved:
        return
    why = _("its owner lets nothing run that needs approval") if approved else _("nobody has approved that")
    for pin in needs.models:
        if pin not in has.models:
            yield _("its list of models that run unasked does not name {pin}, and {why}").format(pin=pin, why=why)
    if needs.asks:
        yield _("something in the launch needs approval wherever it runs, and {why}").format(why=why)


def _listed(items: Sequence[str]) -> str:
    return ", ".join(sorted(set(items)))

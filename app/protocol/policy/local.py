"""A runner's own policy: what its owner lets run there, whatever the app says. Pure."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.language import F_
from app.protocol.address import Measured
from app.protocol.english import counted
from app.protocol.exact import digest
from app.protocol.launch import FlagName, Launch
from app.protocol.plan import Attach
from app.protocol.policy import census
from app.protocol.policy.decide import Pin, decide

if TYPE_CHECKING:
    from collections.abc import Collection

    from app.protocol.plan import Plan

OTHER_START = F_(
    "none of the approvals is for what this runner would start (SHA-256 {digest}): where a maintainer has approved it, "
    "the server and this runner are of different versions of Benchcard; update the older one"
)
EngineVersion = Annotated[str, StringConstraints(pattern=r"^(vllm|sglang)==\d+(\.\d+){1,3}[a-z0-9.+-]{0,30}$")]


class LocalPolicy(BaseModel):
    """The table `[policy]` of a runner's configuration.

    engines = ["vllm==0.32.0"]           # that it starts, exactly these
    models = ["owner/name@COMMIT"]       # that run unasked
    approved = false                # whether it also runs what a maintainer of the app has approved
    denied_flags = ["enable-lora"]       # further flags that nobody sets here
    attach = ["10.0.0.7:8000"]           # servers that it may measure
    max_gpus = 0
    wall_s = 7200.0                      # the longest attempt
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    engines: Annotated[tuple[EngineVersion, ...], Field(strict=False)] | None = None
    models: Annotated[tuple[Pin, ...], Field(strict=False)] = ()
    approved: bool = False
    denied_flags: Annotated[tuple[FlagName, ...], Field(strict=False)] = ()
    attach: Annotated[tuple[Measured, ...], Field(strict=False)] = ()
    max_gpus: Annotated[int, Field(ge=0, le=64)] | None = None
    wall_s: Annotated[float, Field(gt=0, le=86400)] = 7200.0

    def starts(self, engine: str, version: str) -> bool:
        """Whether it starts that engine at all."""
        return self.engines is None or f"{engine}=={version}" in self.engines

    def refusals(self, wanted: Launch | Attach, *, approved: bool) -> list[str]:
        """Why not, in sentences; none where it may run. `approved`: the app says that a maintainer approved it."""
        if isinstance(wanted, Attach):
            return (
                []
                if wanted.address in self.attach
                else [F_("{address}: not an address that it may measure").format(address=wanted.address)]
            )
        name = f"{wanted.engine}=={wanted.version}"
        found = (
            []
            if self.starts(wanted.engine, wanted.version)
            else [F_("{name}: not an engine that it starts").format(name=name)]
        )
        if self.max_gpus is not None and wanted.gpus > self.max_gpus:
            found.append(
                F_("{said_gpus}: it gives at most {max_gpus}").format(
                    said_gpus=counted(wanted.gpus, "GPU"), max_gpus=self.max_gpus
                )
            )
        found += [F_("{flag}: denied here").format(flag=flag) for flag in wanted.flags if flag in self.denied_flags]
        decision = decide(wanted, census.of(wanted.engine, wanted.version), self.models)
        found += decision.against("never")
        if not (approved and self.approved):
            found += decision.against("approve")
        return found

    def plan_refusals(self, plan: Plan, approved: Collection[str]) -> list[str]:
        """Why not the whole plan. `approved` are the digests of launches that the app calls approved."""
        found = (
            [
                F_("{wall_s} s: it takes attempts of at most {wall_s_2} s").format(
                    wall_s=format(plan.wall_s, "g"), wall_s_2=format(self.wall_s, "g")
                )
            ]
            if plan.wall_s > self.wall_s
            else []
        )
        for side in plan.sides:
            wanted = side.launch or side.attach
            assert wanted is not None  # a side is one of them
            told = isinstance(wanted, Launch) and digest(wanted) in approved
            reasons = self.refusals(wanted, approved=told)
            if isinstance(wanted, Launch) and reasons and self.approved and approved and not told:
                reasons.append(OTHER_START.format(digest=digest(wanted)))
            found += [F_("side {name}: {said}").format(name=side.name, said=reason) for reason in reasons]
        return found


def of_toml(text: str) -> LocalPolicy:
    """From the text of a table of its own. ValueError says what is wrong."""
    return LocalPolicy.model_validate(tomllib.loads(text))

"""What the runner hands to the process that measures, and that one's answers: files in the attempt's folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from app.protocol.plan import BenchTool, Plan
from runners.engines.environment import Site

if TYPE_CHECKING:
    from runners.config import Config

ORDER, PROGRESS, OUTCOME = "order.json", "progress.json", "outcome.json"


class Order(BaseModel):
    """What to execute, and on what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    runner: str
    plan: Plan
    gpus: tuple[int, ...] | None
    models: Path | None
    modules: tuple[Path, ...]
    tools: dict[BenchTool, Path] = {}

    @classmethod
    def of(cls, plan: Plan, config: Config) -> Order:
        site = config.site
        return cls(
            runner=config.name,
            plan=plan,
            gpus=site.gpus,
            models=site.models,
            modules=site.modules,
            tools=site.tools,
        )

    def site(self, gpus: tuple[int, ...]) -> Site:
        """This machine, with the GPUs of one server."""
        return Site(gpus, self.models, self.modules)


def write_order(folder: Path, order: Order) -> None:
    (folder / ORDER).write_text(order.model_dump_json())


def read_order(folder: Path) -> Order:
    return Order.model_validate_json((folder / ORDER).read_bytes())

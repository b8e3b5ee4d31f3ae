"""What somebody may choose for a run of a claim or a card, each within what a run can take. Pure."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.protocol.launch import FlagName, FlagValue

RELEASE = re.compile(r"\d+(\.\d+){1,3}[a-z0-9.+-]{0,30}")
MOST = 10**9  # of anything that is counted, as in app.protocol.wire
Positive = Annotated[int, Field(ge=1, le=MOST)]


class Choices(BaseModel):
    """What somebody chose for a run, over what is stated or where nothing is. `accelerator` "any" runs on any GPU;
    `gpus` 0 on a CPU; `concurrencies` make a sweep; `flags` are the engine's own, on both sides of a ratio."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Annotated[str, Field(pattern=rf"^{RELEASE.pattern}$")] | None = None
    model: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?$")] | None = None
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    weights: Literal["real", "dummy"] | None = None
    accelerator: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    gpus: Annotated[int, Field(ge=0, le=64)] | None = None
    input_tokens: Positive | None = None
    output_tokens: Positive | None = None
    concurrency: Positive | None = None
    concurrencies: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=32)] | None = None
    requests: Positive | None = None
    repeats: Annotated[int, Field(ge=1, le=50)] | None = None
    flags: Annotated[dict[FlagName, FlagValue], Field(max_length=50)] | None = None
    wall_s: Annotated[float, Field(gt=0, le=86400)] | None = None

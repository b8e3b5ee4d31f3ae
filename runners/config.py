"""The file that `benchcard runner start --config FILE` reads: who this runner is, what it has, what it may start.

    name = "gpu-box-1"                         # one running process a name
    server = "https://bench.example"
    token_file = "/etc/benchcard/token"        # or token_env = "NAME OF A VARIABLE" (BENCHCARD_RUNNER_TOKEN)
    data = "/var/lib/benchcard-runner"         # results wait here until the app has them

    [policy]                                   # see app/protocol/policy/local.py
    models = ["Qwen/Qwen3-8B@COMMIT"]          # started without asking
    approved = false                           # whether what a maintainer has approved is started too
    attach = ["127.0.0.1:8000"]                # running servers that may be measured
    wall_s = 7200.0                            # the longest attempt, in seconds

    [site]
    gpus = [0, 1]                              # the GPUs to use; all where the key is missing
    models = "/models"                         # stored models: MODEL/config.json, or a Hugging Face cache
    modules = []                               # folders that engines find modules in beside their own

    [site.tools]                               # Pythons of load tools that Benchcard's own client is held against
    vllm_bench = "/opt/vllm/bin/python"        # runs `vllm bench serve`
    sglang_bench = "/opt/sglang/bin/python"    # runs `python -m sglang.bench_serving`

Engines are those that `benchcard engine install` has installed. A token is never an argument.
"""

from __future__ import annotations

import os
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from app.protocol.english import refusal
from app.protocol.plan import BenchTool
from app.protocol.policy.local import LocalPolicy
from app.protocol.wire import Name

TOKEN_ENV = "BENCHCARD_RUNNER_TOKEN"  # noqa: S105 - the name of a variable
_Folder = Annotated[Path, Field(strict=False)]


class ConfigError(ValueError):
    """Every problem of the file a line, with its place."""


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SiteTable(_Table):
    gpus: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(strict=False)] | None = None
    models: _Folder | None = None
    modules: Annotated[tuple[_Folder, ...], Field(strict=False)] = ()
    tools: dict[BenchTool, _Folder] = {}


class Config(_Table):
    name: Name
    server: Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]+")]
    token_file: _Folder | None = None
    token_env: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = TOKEN_ENV
    data: _Folder
    policy: LocalPolicy = LocalPolicy()
    site: SiteTable = SiteTable()

    def token(self) -> str:
        """ConfigError: there is none, or a text that no token is. It is never repeated."""
        place = str(self.token_file) if self.token_file else f"the environment variable {self.token_env}"
        try:
            found = self.token_file.read_text().strip() if self.token_file else os.environ.get(self.token_env, "")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"token_file: {place} cannot be read: {error}") from None
        if not found:
            raise ConfigError(f"no token: {place} is empty; `benchcard token create` makes one with the scope runner")
        if not (found.isascii() and found.isprintable() and " " not in found):
            raise ConfigError(f"{place} holds no token: one is a single word of letters, digits, - and _")
        return found

    def shows_token(self) -> bool:
        """Whether others on this machine can read the token's file, as they can where it is mounted as a secret."""
        return self.token_file is not None and bool(self.token_file.stat().st_mode & 0o077)


def read(file: Path) -> Config:
    """Read the file; folders in it are found from where it lies. ConfigError tells everything that is wrong."""
    try:
        given = tomllib.loads(file.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: {error}") from None
    try:
        found = Config.model_validate(given)
    except ValidationError as error:
        raise ConfigError("\n".join(_told(file, item) for item in error.errors())) from None
    home = file.resolve().parent
    site = found.site
    placed = site.model_copy(
        update={
            "models": (home / site.models).resolve() if site.models else None,  # no `..` in what reports show
            "modules": tuple((home / folder).resolve() for folder in site.modules),
            "tools": {name: home / python for name, python in site.tools.items()},
        }
    )
    token_file = home / found.token_file if found.token_file else None
    return found.model_copy(update={"data": home / found.data, "token_file": token_file, "site": placed})


def _told(file: Path, item: Any) -> str:
    path = [str(part) for part in item["loc"]]
    place = ".".join(path)
    if item["type"] == "extra_forbidden":
        return f"{file}: {place}: no such key{_nearest(path)}"
    if item["type"] == "missing":
        return f"{file}: {place}: this key is needed"
    return f"{file}: {place}: {refusal(item)}, and {item['input']!r} was given"


def _nearest(path: list[str]) -> str:
    tables: dict[str, type[BaseModel]] = {"policy": LocalPolicy, "site": SiteTable}
    table = tables.get(path[0], Config) if len(path) > 1 else Config
    close = get_close_matches(path[-1], table.model_fields, 1, 0.6)
    known = ", ".join(table.model_fields)
    return f"; did you mean {close[0]}?" if close else f"; known are {known}"

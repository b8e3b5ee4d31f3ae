"""What may differ between two installations, read from the environment once and then fixed."""

from __future__ import annotations

import os
from ipaddress import ip_address
from pathlib import Path

from pydantic import AliasChoices, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.errors import SettingError
from app.protocol.english import refusal
from app.yaml_tree import shown

ROOT = Path(__file__).resolve().parent.parent  # the checkout: templates/, static/ and migrations/ lie here
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (where a server on every address answers this machine)


class Settings(BaseSettings):
    """Every setting, read under its alias alone: HOST, DATA and the like are other programs' names. Empty is unset."""

    model_config = SettingsConfigDict(
        env_prefix="BENCHCARD_", case_sensitive=True, env_ignore_empty=True, frozen=True, populate_by_name=True
    )

    data: Path = Field(
        default=Path("data"),
        validation_alias="BENCHCARD_DATA",
        description="folder of the database and of stored files; made on the first start",
    )
    database_url: str | None = Field(
        default=None,
        validation_alias="BENCHCARD_DATABASE_URL",
        description="PostgreSQL URL; without one SQLite in the data folder",
    )
    catalogue: Path = Field(
        default=ROOT / "app" / "catalogue" / "sources",
        validation_alias="BENCHCARD_CATALOGUE",
        description="folder of the catalogue files",
    )
    host: str = Field(
        default="127.0.0.1", validation_alias="BENCHCARD_HOST", description="address that the server listens on"
    )
    port: int = Field(
        default=8000,
        ge=0,
        le=65535,
        validation_alias=AliasChoices("BENCHCARD_PORT", "PORT"),
        description="port that the server listens on; 0 takes a free one",
    )
    second_approver: bool | None = Field(
        default=None,
        validation_alias="BENCHCARD_SECOND_APPROVER",
        description="true: what a job starts is approved by another maintainer than the one who asked for it; without "
        "one true unless the server listens on its own machine alone",
    )

    @property
    def two_people(self) -> bool:
        """Whether nobody approves a job of their own. Whoever works alone on one machine has nobody else to ask."""
        return not _is_loopback(self.host) if self.second_approver is None else self.second_approver

    def url(self) -> str:
        """The database's SQLAlchemy URL."""
        if not self.database_url:
            return f"sqlite:///{self.data / 'benchcard.db'}"
        return self.database_url

    def address(self, port: int | None = None) -> str:
        """Where a browser on this machine finds the server; `port` where the server took a free one."""
        host = ANYWHERE.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port if port is None else port}"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def names(field: str) -> list[str]:
    """A setting's names in the environment, the first that is set counts."""
    alias = Settings.model_fields[field].validation_alias
    return [str(name) for name in alias.choices] if isinstance(alias, AliasChoices) else [str(alias)]


def read_settings() -> Settings:
    """The settings of this process. Raises SettingError with every wrong one under the name it was given by."""
    try:
        return Settings()
    except ValidationError as error:
        told = [_told(str(item["loc"][0]), refusal(item), str(item["input"])) for item in error.errors()]
        raise SettingError("\n".join(told)) from error


def _told(alias: str, message: str, given: str) -> str:
    choices = next(names(field) for field in Settings.model_fields if alias in names(field))
    name = next((name for name in choices if os.environ.get(name)), alias)
    return f"setting {name}: {message}, got `{shown(given)}`"

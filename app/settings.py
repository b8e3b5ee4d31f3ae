"""What may differ between two installations, read from the environment once and then fixed."""

from __future__ import annotations

from pathlib import Path

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent  # the checkout: templates/, static/ and migrations/ lie here


class Settings(BaseSettings):
    """Every setting: its environment name is the field's with `BENCHCARD_` before it, unless an alias is given."""

    model_config = SettingsConfigDict(env_prefix="BENCHCARD_", frozen=True, populate_by_name=True)

    data: Path = Field(default=Path("data"), description="folder of the database; made on the first start")
    database_url: str | None = Field(default=None, description="PostgreSQL URL; without one SQLite in the data folder")
    catalogue: Path = Field(default=ROOT / "app" / "catalogue" / "sources", description="folder of the catalogue files")
    host: str = Field(default="127.0.0.1", validation_alias=AliasChoices("BENCHCARD_HOST", "HOST"))
    port: int = Field(default=8000, ge=0, le=65535, validation_alias=AliasChoices("BENCHCARD_PORT", "PORT"))

    def url(self) -> str:
        """The database's SQLAlchemy URL."""
        if not self.database_url:  # compose passes an empty one where none is set
            return f"sqlite:///{self.data / 'benchcard.db'}"
        return self.database_url

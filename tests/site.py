"""The application with people who may write: tokens, cards sent as scripts send them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.accounts.store import add_link, add_token
from app.accounts.tokens import new_secret, new_token
from app.main import create_app
from app.randomness import SystemRandomness
from app.settings import Settings
from tests.conftest import Client, StillClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from app.db import Database
    from app.randomness import Randomness

RANDOM = SystemRandomness()


@dataclass
class Site:
    client: Client
    database: Database
    clock: StillClock
    data: Path  # the folder of its files

    def token(self, *scopes: str, name: str = "Ana") -> str:
        """A new token; with the scope `submit` unless told otherwise."""
        token = new_token(RANDOM)
        self.database.write(lambda session: add_token(session, token, name, scopes or ("submit",), self.clock.now()))
        return token

    def link(self) -> str:
        """The secret of a new sign-in link."""
        link = new_secret(RANDOM)
        scopes = ("submit", "maintain")
        self.database.write(lambda session: add_link(session, link, "maintainer", scopes, self.clock.now()))
        return link

    def send(
        self, method: str, path: str, body: str | bytes, token: str | None = None, **headers: str
    ) -> httpx.Response:
        """A card as YAML unless a Content-Type says otherwise; `Idempotency_Key` is the header with a dash."""
        given = {"Content-Type": "application/yaml"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        if token:
            given["Authorization"] = f"Bearer {token}"
        content = body.encode() if isinstance(body, str) else body
        encoded = {name: value.encode("latin-1") for name, value in given.items()}
        return self.client.request(method, path, content=content, headers=encoded)

    def submit(self, body: str, token: str | None = None, **headers: str) -> httpx.Response:
        return self.send("POST", "/api/v1/cards", body, token, **headers)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, **options)

    def recorded(self, body: str, token: str) -> str:
        """The id of a card that was recorded just now."""
        answer = self.submit(body, token)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


def open_site(
    database: Database, clock: StillClock, randomness: Randomness | None = None, *, second_approver: bool = False
) -> Iterator[Site]:
    url = database.url.render_as_string(hide_password=False)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database_url=url, data=Path(folder), second_approver=second_approver)
        app = create_app(settings, clock, randomness)
        yield Site(Client(app), database, clock, Path(folder))
        app.state.database.close()

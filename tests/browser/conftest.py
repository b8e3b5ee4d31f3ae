"""The application in a real browser: served on a free port, driven through Debian's Chromium."""

from __future__ import annotations

import os
import shutil
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
import uvicorn
from playwright.sync_api import sync_playwright

from app.accounts.store import add_token
from app.accounts.tokens import new_token
from app.db import Database
from app.main import create_app, prepare
from app.randomness import SystemRandomness
from app.settings import Settings
from tests.conftest import StillClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]


@dataclass
class Seen:
    """What a browser said and asked for besides showing the page."""

    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@dataclass
class Tab:
    page: Page
    seen: Seen


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data=tmp_path_factory.mktemp("browser"))


@pytest.fixture
def signed_in(settings: Settings, clock: StillClock) -> Callable[[Page], None]:
    """Sign a page's browser in, with the scope `submit`, as a person does."""

    def sign_in(page: Page) -> None:
        token, database = new_token(SystemRandomness()), Database(settings.url())
        database.write(lambda session: add_token(session, token, "Ana", ("submit",), clock.now()))
        database.close()
        page.goto("/sign-in")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/")

    return sign_in


@pytest.fixture(scope="session")
def clock() -> StillClock:
    """The server's, which sweeps expired leases by it: what a test prepares at the same moment stays."""
    return StillClock()


@pytest.fixture(scope="session")
def address(settings: Settings, clock: StillClock) -> Iterator[str]:
    prepare(settings, clock)
    application = create_app(settings, clock)
    server = uvicorn.Server(uvicorn.Config(application, host="127.0.0.1", port=0, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    started = threading.Event()
    listen = server.startup

    async def startup(sockets: list[object] | None = None) -> None:
        await listen(sockets)  # type: ignore[arg-type]
        started.set()

    server.startup = startup  # type: ignore[method-assign,assignment]
    thread.start()
    assert started.wait(60)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(60)


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    found = os.environ.get("BENCHCARD_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        reason = "no Chromium here (install Debian's, or set BENCHCARD_TEST_CHROMIUM)"
        pytest.skip(reason)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Callable[..., Tab]]:
    """Open an address in a browser of its own: colour scheme, width, and whether scripts run."""
    contexts: list[BrowserContext] = []

    def opened(path: str, *, scheme: str = "light", width: int = 1440, scripts: bool = True) -> Tab:
        context = browser.new_context(
            base_url=address,
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
        )
        contexts.append(context)
        tab = Tab(context.new_page(), Seen())
        tab.page.on("console", lambda message: tab.seen.console.append(message.text))
        tab.page.on("pageerror", lambda error: tab.seen.console.append(str(error)))
        tab.page.on("request", lambda asked: tab.seen.requests.append(asked.url))
        tab.page.goto(path)
        tab.page.wait_for_load_state("networkidle")
        return tab

    yield opened
    for context in contexts:
        context.close()

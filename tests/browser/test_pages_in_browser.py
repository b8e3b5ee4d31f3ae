"""Every kind of page in a real browser: accessible in light and dark, whole at every width, silent, on its own host."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import axe_playwright_python  # type: ignore[import-untyped]
import httpx
import pytest
from playwright.sync_api import expect

from app.accounts.store import add_token
from app.accounts.tokens import new_token
from app.db import Database
from app.jobs.logs import Logs
from app.randomness import SystemRandomness
from tests.browser.conftest import Seen, Tab
from tests.cards.factories import sound
from tests.importers.factories import DATA
from tests.jobs.factories import Queue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from app.settings import Settings
    from tests.conftest import StillClock

pytestmark = pytest.mark.xdist_group("browser")
RESULT = DATA / "guidellm_sweep.json"

PAGES = [
    "/",
    "/?engine=vLLM&axis=ttft&sort=-value&col=source&col=evidence&ids=sglang-v41-step-16",
    "/?q=nothing+has+these+words",
    "/claims/vllm-v41-5x",
    "/about",
    "/glossary",
    "/sources",
    "/sources/sglang-deepseek-v41-flash-kernels",
    "/sources/vllm-2026-10-07-deepseek-v41-flash",
    "/cards",
    "/cards/schema",
    "/import",
    "/cards/new",
    "/cards/new?claim=sglang-v41-step-16",
    "/configurations?engine=SGLang&model=DeepSeek-V4.1-Flash",
    "/configurations",
    "/axes",
    "/verdicts",
    "/compare",
    "/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16",
    "/compare?ids=sglang-v41-dspark-off,sglang-v41-step-15,sglang-v41-step-16",
    "/tools",
    "/tools/workload",
    "/tools/workload?input_tokens=4096&output_tokens=1024&prefix_hit_rate=0",
    "/tools/capacity",
    "/tools/speculation?claim=sglang-v41-step-15&at=3.17",
    "/api/docs",
    "/axes/agreement",
    "/changelog",
    "/measurements",
    "/measurements/mn3mn2cwp",
    "/jobs",
    "/runners",
    "/sign-in",
    "/compare?q=873+sglang&ids=vllm-v41-5x",
    "/measurements/compare?ids=mkgv53z0y&ids=mn3mn2cwp&above=20",
]
# Pages of what somebody sends or asks for, by the name of what is made for them (`made`).
MADE = ["a card", "a card's form", "its reproduction", "a job", "a running job", "an imported file"]
TROUBLED = [
    "/no/such/page",
    "/?engine=nope&sort=best",
    "/claims/vllm-v41-5y",
    "/tools/capacity?memory=80&engine=vllm&kv=mla",
]


# Captions that are broken word by word.
SQUEEZED = """() => [...document.querySelectorAll("caption:not(.unseen)")]
  .filter(one => one.checkVisibility() && one.clientWidth < Math.min(240, one.textContent.trim().length * 5))
  .map(one => one.textContent.trim())"""


# Words that are broken in the middle, and texts that their box cuts off. Long tokens (hashes, addresses) must break.
CUT = """() => {
  const found = new Set(), range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = texts.nextNode());) {
    const box = node.parentElement;
    const text = node.data.trim();
    if (!text || box.closest("pre, code, textarea, select, svg, script, .unseen, .wide") || !box.checkVisibility()) {
      continue;
    }
    const style = getComputedStyle(box);
    const hides = ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis";
    if (hides && box.scrollWidth > box.clientWidth + 1) { found.add(`cut: ${text}`); }
    for (const token of node.data.matchAll(/\\S+/g)) {
      if (token[0].length > 24) { continue; }
      for (const word of token[0].matchAll(/[A-Za-z]{3,}/g)) {
        range.setStart(node, token.index + word.index);
        range.setEnd(node, token.index + word.index + word[0].length);
        const lines = [...range.getClientRects()];
        if (lines.length > 1 && lines.at(-1).top > lines[0].top + 4) { found.add(`broken: ${word[0]} in ${token[0]}`); }
      }
    }
  }
  return [...found];
}"""
# Of what one template repeats, axe-core sees the first few: contrast costs it a second for every 400 elements.
THINNED = """() => document.querySelectorAll(
  "main tbody tr:nth-child(n+9), main li:nth-child(n+13), main section:nth-of-type(n+9)"
).forEach(one => one.remove())"""
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


def test_a_word_opens_its_meaning_by_keyboard_and_escape_closes_it(open_page: Callable[..., Tab]) -> None:
    page = open_page("/claims/sglang-v41-35-to-873", scripts=False).page
    word = page.locator("button.term").first
    meaning = page.locator(f"#{word.get_attribute('popovertarget')}")
    expect(meaning).to_be_hidden()
    word.focus()
    page.keyboard.press("Enter")
    expect(meaning).to_be_visible()
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()


def serious(tab: Tab) -> list[str]:
    """What axe-core finds against WCAG 2.2 AA in the page as it stands; its script is put into a page once."""
    if not tab.page.evaluate("'axe' in window"):
        tab.page.evaluate(AXE)
    found = tab.page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [
        f"{item['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:200]}"
        for item in found
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
    ]


@pytest.fixture(scope="module")
def reader(browser: Browser, address: str) -> Iterator[Tab]:
    """One tab for all pages of this module: what a page leaves behind, the next one's reader has too."""
    yield from one_tab(browser, address, scripts=True)


@pytest.fixture(scope="module")
def plain_reader(browser: Browser, address: str) -> Iterator[Tab]:
    yield from one_tab(browser, address, scripts=False)


def one_tab(browser: Browser, address: str, *, scripts: bool) -> Iterator[Tab]:
    context = browser.new_context(base_url=address, java_script_enabled=scripts)
    tab = Tab(context.new_page(), Seen())
    tab.page.on("console", lambda message: tab.seen.console.append(message.text))
    tab.page.on("pageerror", lambda error: tab.seen.console.append(str(error)))
    tab.page.on("request", lambda asked: tab.seen.requests.append(asked.url))
    yield tab
    context.close()


def opened(tab: Tab, path: str) -> Page:
    tab.seen.console.clear()
    tab.seen.requests.clear()
    tab.page.emulate_media(color_scheme="light")
    tab.page.set_viewport_size({"width": 1440, "height": 900})
    tab.page.goto(path)
    return tab.page


@pytest.fixture(scope="module")
def made(settings: Settings, address: str, clock: StillClock) -> dict[str, str]:
    """The address of each page of MADE."""
    token, database = new_token(SystemRandomness()), Database(settings.url())
    database.write(lambda session: add_token(session, token, "Ana", ("submit",), clock.now()))
    queue = Queue(database, clock, Logs(settings.data / "logs"))
    waiting = queue.submit()
    running, epoch = queue.running(runner="proof", boot_id="boot-proof")
    queue.beat(running, epoch, done=3, total=9, note="loads the model")
    queue.log(running, epoch, 0, b"first line\n")
    database.close()
    headers = {"Authorization": f"Bearer {token}"}
    text = sound(repeats="sglang-v41-step-16", also="[{axis: ttft, value: 41.2, unit: ms}]", source="not a url")
    card = httpx.post(f"{address}/api/v1/cards", content=text, headers=headers | {"Content-Type": "application/yaml"})
    sent = httpx.post(f"{address}/api/v1/imports?name={RESULT.name}", content=RESULT.read_bytes(), headers=headers)
    assert (card.status_code, sent.status_code) == (201, 201), (card.text, sent.text)
    of_card = str(card.json()["url"])
    paths = of_card, f"{of_card}/edit", f"{of_card}/reproduce", f"/jobs/{waiting}", f"/jobs/{running}"
    return dict(zip(MADE, (*paths, f"/import/{sent.json()['sha256']}"), strict=True))


@pytest.mark.parametrize("path", [*PAGES, *TROUBLED, *MADE])
def test_a_page_is_accessible_silent_and_whole_in_light_and_dark_at_every_width(
    reader: Tab, path: str, address: str, made: dict[str, str]
) -> None:
    page = opened(reader, made.get(path, path))
    for width in (1440, 1024, 768, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SQUEEZED) == []
        assert page.evaluate(CUT) == []
    page.evaluate(THINNED)
    assert serious(reader) == []
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1440, "height": 900})
    assert serious(reader) == []
    refused = [text for text in reader.seen.console if "status of 4" in text and path in TROUBLED]
    assert [text for text in reader.seen.console if text not in refused] == []
    assert [url for url in reader.seen.requests if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_the_same_without_javascript(reader: Tab, plain_reader: Tab, path: str) -> None:
    plain = opened(plain_reader, path).locator("main").inner_text()
    drawn = opened(reader, path).locator("main").inner_text()
    lines = {line for line in plain.splitlines() if line.strip() and line != "The chart needs JavaScript."}
    assert lines <= {*drawn.splitlines()}


def test_a_phone_reads_the_first_loads_and_opens_the_others_without_scripts(plain_reader: Tab) -> None:
    page = opened(plain_reader, "/measurements/mn3mn2cwp")
    rows, rest = page.locator("#all-numbers tbody tr"), page.locator("a[href='#all-numbers']")
    expect(rest).to_be_hidden()
    everything = rows.count()
    assert sum(row.is_visible() for row in rows.all()) == everything
    page.set_viewport_size({"width": 360, "height": 900})
    assert sum(row.is_visible() for row in rows.all()) == 3
    rest.click()
    expect(rest).to_be_hidden()
    assert sum(row.is_visible() for row in rows.all()) == everything

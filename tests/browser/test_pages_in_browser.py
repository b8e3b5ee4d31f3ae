"""Every page in a real browser: accessible in light and dark, silent, and asking no other host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Tab

pytestmark = pytest.mark.xdist_group("browser")

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
]
TROUBLED = ["/?engine=nope&sort=best", "/claims/vllm-v41-5y", "/tools/capacity?memory=80&engine=vllm&kv=mla"]


# Captions that are broken word by word.
SQUEEZED = """() => [...document.querySelectorAll("caption:not(.unseen)")]
  .filter(one => one.checkVisibility() && one.clientWidth < Math.min(240, one.textContent.trim().length * 5))
  .map(one => one.textContent.trim())"""


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
    found = Axe().run(tab.page).response["violations"]
    return [
        f"{item['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:200]}"
        for item in found
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
    ]


@pytest.mark.parametrize("path", [*PAGES, *TROUBLED])
def test_axe_finds_nothing_serious_in_light_in_dark_and_on_a_phone(open_page: Callable[..., Tab], path: str) -> None:
    tab = open_page(path)
    assert serious(tab) == []
    tab.page.emulate_media(color_scheme="dark")
    assert serious(tab) == []
    tab.page.set_viewport_size({"width": 390, "height": 900})
    assert serious(tab) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_silent_fits_every_width_and_asks_no_other_host(
    open_page: Callable[..., Tab], path: str, address: str
) -> None:
    tab = open_page(path)
    for width in (1440, 1024, 390, 360):
        tab.page.set_viewport_size({"width": width, "height": 900})
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.page.evaluate(SQUEEZED) == []
    assert tab.seen.console == []
    assert [url for url in tab.seen.requests if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_the_same_without_javascript(open_page: Callable[..., Tab], path: str) -> None:
    plain = open_page(path, scripts=False).page.locator("main").inner_text()
    drawn = open_page(path).page.locator("main").inner_text()
    lines = {line for line in plain.splitlines() if line.strip() and line != "The chart needs JavaScript."}
    assert lines <= {*drawn.splitlines()}

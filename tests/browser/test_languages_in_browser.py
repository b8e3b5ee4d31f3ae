"""The reader's language in a real browser: chosen by keyboard, kept, and within a narrow screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Tab

pytestmark = pytest.mark.xdist_group("browser")

PAGES = (
    "/",
    "/?col=source&col=evidence",
    "/claims/sglang-v41-step-16",
    "/compare?ids=sglang-v41-dspark-off&ids=sglang-v41-step-16",
    "/sources/sglang-deepseek-v41-flash-kernels",
    "/axes",
    "/verdicts",
)


def test_a_language_is_chosen_by_keyboard_keeps_the_filtered_list_and_stays(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/?record=published")
    tab.page.locator("[id='engine:SGLang']").check()
    expect(tab.page).to_have_url(re.compile(r"/\?record=published&engine=SGLang$"))
    choice = tab.page.get_by_role("button", name="Bahasa Indonesia")
    choice.focus()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("html")).to_have_attribute("lang", "id")
    expect(tab.page).to_have_url(re.compile(r"/\?record=published&engine=SGLang$"))
    expect(tab.page.locator(".chips")).to_contain_text("Engine: SGLang")
    tab.page.locator("[id='engine:vLLM']").check()
    expect(tab.page.locator("#count")).to_contain_text("klaim")
    tab.page.goto("/about")
    expect(tab.page.locator(".skip").first).to_have_text("Langsung ke isi")
    tab.page.get_by_role("button", name="English").click()
    expect(tab.page.locator("html")).to_have_attribute("lang", "en")
    assert tab.seen.console == []


def test_pages_in_indonesian_fit_a_phone(open_page: Callable[..., Tab]) -> None:
    page = open_page("/about", width=360).page
    page.get_by_role("button", name="Bahasa Indonesia").click()
    for address in PAGES:
        page.goto(address)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, address

"""The table as people use it: by mouse, by keyboard, with and without scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from app.catalogue.folder import SOURCES, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Tab

SOURCES_READ = [loaded.source for loaded in read_catalogue(SOURCES)]
SGLANG = f"{sum(claim.conditions.engine.name == 'SGLang' for source in SOURCES_READ for claim in source.claims)} claims"
NARROW = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  const wide = (font) => { pen.font = `12px ${font}`; return pen.measureText("claims measured").width; };
  return wide("'Liberation Sans', monospace") !== wide("monospace");
}"""
pytestmark = pytest.mark.xdist_group("browser")


def test_a_filter_swaps_the_list_and_the_address_and_keeps_the_keyboards_place(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/?record=published")  # other tests of the session record cards
    box = tab.page.locator("[id='engine:SGLang']")
    box.focus()
    tab.page.keyboard.press("Space")
    expect(tab.page.locator(".chips")).to_contain_text("Engine: SGLang")
    expect(tab.page).to_have_url(re.compile(r"/\?record=published&engine=SGLang$"))
    expect(tab.page.locator("[id='engine:SGLang']")).to_be_focused()
    expect(tab.page.locator("#count")).to_have_text(SGLANG)
    assert tab.seen.console == []
    tab.page.go_back()
    expect(tab.page.locator("#count")).not_to_have_text(SGLANG)
    expect(tab.page.locator("h1")).to_be_visible()


def test_searching_while_typing_keeps_what_is_typed(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/?engine=SGLang")
    tab.page.locator("#q").press_sequentially("dspark off")
    expect(tab.page).to_have_url(re.compile(r"/\?engine=SGLang&q=dspark\+off$"))
    expect(tab.page.locator("#q")).to_be_focused()
    expect(tab.page.locator("#q")).to_have_value("dspark off")
    expect(tab.page).to_have_title("Claims: SGLang, “dspark off” · Benchcard")


def test_columns_and_order_live_in_the_address(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/?axis=decode_rate")
    tab.page.locator("#sort").select_option("-value")
    expect(tab.page.locator("th[aria-sort=descending]")).to_have_text("Number")
    tab.page.locator("#columns > summary").click()
    tab.page.locator("#col-date").check()
    expect(tab.page.locator(".claims thead")).to_contain_text("Date")
    expect(tab.page).to_have_url(re.compile(r"/\?axis=decode_rate&sort=-value&col=date$"))
    expect(tab.page.locator("#columns")).to_have_attribute("open", "")


def test_rows_chosen_in_two_lists_are_compared(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/?engine=SGLang")
    tab.page.locator("#pick-sglang-v41-step-16").check()
    tab.page.locator("[id='engine:SGLang']").uncheck()
    expect(tab.page.locator("#pick-sglang-v41-step-16")).to_be_checked()
    tab.page.locator("#pick-vllm-v41-5x").check()
    expect(tab.page.locator("#choose .hint")).to_have_text("2 rows chosen")
    tab.page.locator("#choose button").click()
    expect(tab.page.locator(".verdict")).to_contain_text("cannot be ranked")


def test_everything_works_by_form_where_no_script_runs(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/", scripts=False)
    tab.page.locator("[id='engine:SGLang']").check()
    tab.page.locator("#q").fill("step")
    tab.page.locator("#filter button[type=submit]").click()
    expect(tab.page.locator(".chips")).to_contain_text("Engine: SGLang")
    expect(tab.page.locator(".chips")).to_contain_text("Search: step")
    tab.page.locator("#pick-sglang-v41-step-15").check()
    tab.page.locator("#pick-sglang-v41-step-16").check()
    tab.page.locator("#choose button").click()
    expect(tab.page.locator(".verdict")).to_contain_text("Comparable with differences")


def test_a_badge_opens_by_keyboard_and_escape_closes_it(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/")
    badge = tab.page.locator(".claims .mind summary").first
    badge.focus()
    tab.page.keyboard.press("Enter")
    opened = tab.page.locator(".claims .mind details[open] p")
    expect(opened).to_be_visible()
    tab.page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(badge).to_be_focused()


def test_a_badge_opens_without_scripts_and_one_at_a_time(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/", scripts=False)
    for place in (0, 1):
        tab.page.locator(".claims .mind summary").nth(place).press("Enter")  # an open one may lie over the next
        expect(tab.page.locator(".claims .mind details[open]")).to_have_count(1)


def test_the_first_tab_leads_past_the_navigation(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/")
    tab.page.keyboard.press("Tab")
    expect(tab.page.locator(".skip[href='#main']")).to_be_focused()
    expect(tab.page.locator(".skip[href='#main']")).to_be_in_viewport()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("main")).to_be_focused()


def test_on_a_phone_the_filters_open_over_the_list_and_stay_open(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/?record=published", width=390)
    expect(tab.page.locator("#rail")).to_be_hidden()
    tab.page.get_by_role("button", name="Filters").click()
    tab.page.locator("[id='engine:SGLang']").check()
    expect(tab.page.locator("#count")).to_have_text(SGLANG)
    expect(tab.page.locator("#rail")).to_be_visible()
    tab.page.keyboard.press("Escape")
    expect(tab.page.locator("#rail")).to_be_hidden()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_row_on_a_phone_reads_in_the_same_order(open_page: Callable[..., Tab], scripts: bool) -> None:
    row = open_page("/?q=sglang-v41-step-16", width=390, scripts=scripts).page.locator(".claims tbody tr").first
    tops = [cell.bounding_box()["y"] for cell in row.locator("> th, > td:not(:first-child)").all()]  # type: ignore[index]
    assert tops == sorted(tops)
    assert len(set(tops)) == 6


def test_between_twenty_and_fifty_rows_stand_on_a_desk_screen(open_page: Callable[..., Tab]) -> None:
    page = open_page("/").page
    if not page.evaluate(NARROW):
        pytest.skip("none of the page's fonts is installed here, and a wider one takes more lines")
    page.locator(".claims").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.claims').scrollIntoView()")
    rows = page.locator(".claims tbody tr").all()
    shown = [box for row in rows if (box := row.bounding_box()) and box["y"] >= 0 and box["y"] + box["height"] <= 900]
    assert 20 <= len(shown) <= 50


def test_enter_in_a_rows_box_compares_the_rows_that_are_chosen(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/")
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Enter")  # "Skip to the table"
    expect(tab.page.locator("#results")).to_be_focused()
    tab.page.locator("#pick-vllm-v41-5x").focus()
    tab.page.keyboard.press("Space")
    tab.page.locator("#pick-sglang-v41-step-16").focus()
    tab.page.keyboard.press("Space")
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator(".verdict")).to_contain_text("cannot be ranked")

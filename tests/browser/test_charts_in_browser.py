"""Charts are drawn from the page's data, follow the colour scheme, and are exported with source and caveats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.conftest import Tab

pytestmark = pytest.mark.xdist_group("browser")

LADDER = "/sources/sglang-deepseek-v41-flash-kernels"


@pytest.mark.parametrize("width", [390, 1440])
def test_the_ladder_is_drawn_with_its_break_and_its_caveats(open_page: Callable[..., Tab], width: int) -> None:
    tab = open_page(LADDER, width=width)
    drawn = tab.page.locator("#chart-ladder .main-svg").first
    expect(tab.page.locator("#chart-ladder .point")).to_have_count(16)
    for said in ("Break. Do not divide across it.", "Outlined bars", "873.63 (simulated 5.5)", "sglang.io"):
        assert said in tab.page.locator("#chart-ladder").inner_text() or said in (drawn.text_content() or "")
    assert tab.seen.console == []


def test_a_chart_follows_the_colour_scheme(open_page: Callable[..., Tab]) -> None:
    tab = open_page(LADDER)
    paper = "document.querySelector('#chart-ladder .main-svg').style.background"
    light = tab.page.evaluate(paper)
    tab.page.emulate_media(color_scheme="dark")
    expect(tab.page.locator("#chart-ladder .main-svg").first).not_to_have_css("background-color", light)


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_an_exported_chart_holds_its_source(open_page: Callable[..., Tab], kind: str, tmp_path: Path) -> None:
    tab = open_page(LADDER)
    with tab.page.expect_download() as waiting:
        tab.page.locator(f"#chart-ladder button[data-export={kind}]").click()
    file = tmp_path / "chart"
    waiting.value.save_as(file)
    assert waiting.value.suggested_filename == f"sglang-deepseek-v41-flash-kernels-ladder.{kind}"
    data = file.read_bytes()
    if kind == "png":
        assert data.startswith(b"\x89PNG")
        assert len(data) > 50_000
    else:
        for said in (b"sglang.io", b"Outlined bars", b"Do not divide"):
            assert said in data
    assert tab.seen.console == []


def test_the_ttft_chart_has_a_panel_for_every_prompt_length(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/sources/vllm-2026-10-07-deepseek-v41-flash")
    expect(tab.page.locator("#chart-ttft .point")).to_have_count(30)
    text = tab.page.locator("#chart-ttft .plot").inner_text() or tab.page.locator("#chart-ttft .plot").text_content()
    assert all(length in str(text) for length in ("1K", "4K", "8K", "32K", "128K", "+11.9 %"))


def test_without_scripts_the_table_of_the_same_numbers_is_pointed_to(open_page: Callable[..., Tab]) -> None:
    tab = open_page(LADDER, scripts=False)
    expect(tab.page.locator("#chart-ladder")).to_contain_text(
        "The chart needs JavaScript. The same numbers stand in the table below."
    )
    expect(tab.page.locator("#ladder tbody tr")).to_have_count(17)

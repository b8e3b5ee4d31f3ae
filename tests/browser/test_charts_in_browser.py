"""Charts are drawn from the page's data, follow the colour scheme, and are exported with source and caveats."""

from __future__ import annotations

import base64
import html
import re
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
    tab.page.locator("#chart-ladder").scroll_into_view_if_needed()
    drawn = tab.page.locator("#chart-ladder .main-svg").first
    expect(tab.page.locator("#chart-ladder .point")).to_have_count(16)
    for said in ("Break. Do not divide across it.", "Outlined bars", "873.63 (simulated 5.5)", "sglang.io"):
        assert said in tab.page.locator("#chart-ladder").inner_text() or said in (drawn.text_content() or "")
    assert tab.seen.console == []


def test_the_library_is_fetched_once_a_chart_is_wanted_and_nothing_moves_then(open_page: Callable[..., Tab]) -> None:
    tab = open_page(LADDER, width=390)
    page, place = tab.page, tab.page.locator("#chart-ladder .plot")
    assert not [url for url in tab.seen.requests if "plotly" in url]
    reserved = place.evaluate("place => place.offsetHeight")
    page.keyboard.press("Tab")
    expect(page.locator("#chart-ladder .point")).to_have_count(16)
    assert abs(place.evaluate("place => place.offsetHeight") - reserved) <= 1
    assert len([url for url in tab.seen.requests if "plotly" in url]) == 1
    assert tab.seen.console == []


def test_a_chart_follows_the_colour_scheme(open_page: Callable[..., Tab]) -> None:
    tab = open_page(LADDER)
    paper = "document.querySelector('#chart-ladder .main-svg').style.background"
    light = tab.page.evaluate(paper)
    tab.page.emulate_media(color_scheme="dark")
    expect(tab.page.locator("#chart-ladder .main-svg").first).not_to_have_css("background-color", light)


def test_on_paper_page_and_chart_are_light_and_nothing_is_folded(open_page: Callable[..., Tab]) -> None:
    tab = open_page(LADDER)
    paper = tab.page.evaluate("document.querySelector('#chart-ladder .main-svg').style.background")
    tab.page.emulate_media(color_scheme="dark")
    expect(tab.page.locator("#chart-ladder .main-svg").first).not_to_have_css("background-color", paper)
    tab.page.emulate_media(media="print", color_scheme="dark")
    expect(tab.page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(tab.page.locator("#chart-ladder .main-svg").first).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(tab.page.get_by_role("button")).to_have_count(0)


CAVEATS = (
    "Outlined bars: speculation at an acceptance that was set by a simulation",
    "At the break: Workload",
    "full prefill is not in it",
    "not usable for quality",
    "www.sglang.io",
)
# Rows of pixels that bear ink, as bands, in the lowest part of a picture.
BANDS = """async ([data, low]) => {
  const image = new Image();
  image.src = data;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  const pen = canvas.getContext("2d", {willReadFrequently: true});
  pen.drawImage(image, 0, 0);
  let bands = 0, before = false;
  for (let y = image.height - low; y < image.height; y++) {
    const row = pen.getImageData(0, y, image.width, 1).data;
    const inked = row.some((value, at) => at % 4 === 0 && value < 128);
    if (inked && !before) { bands += 1; }
    before = inked;
  }
  return bands;
}"""


def exported(tab: Tab, chart: str, kind: str, folder: Path) -> bytes:
    with tab.page.expect_download() as waiting:
        tab.page.locator(f"#chart-{chart} button[data-export={kind}]").click()
    waiting.value.save_as(folder / kind)
    assert waiting.value.suggested_filename.endswith(f"-{chart}.{kind}")
    return (folder / kind).read_bytes()


def test_an_exported_svg_holds_source_and_caveats(open_page: Callable[..., Tab], tmp_path: Path) -> None:
    tab = open_page(LADDER)
    text = html.unescape(exported(tab, "ladder", "svg", tmp_path).decode())
    for said in (*CAVEATS, "Break. Do not divide across it."):
        assert said in text
    assert tab.seen.console == []


def test_an_exported_png_has_a_line_of_ink_for_every_line_of_the_caption(
    open_page: Callable[..., Tab], tmp_path: Path
) -> None:
    tab = open_page(LADDER)
    svg = exported(tab, "ladder", "svg", tmp_path).decode()
    (caption,) = [note for note in re.findall(r"<text[^>]*>.*?</text>", svg, re.DOTALL) if "Outlined bars" in note]
    lines = caption.count("<tspan")
    png = exported(tab, "ladder", "png", tmp_path)
    assert png.startswith(b"\x89PNG")
    low = round(1.3 * 12 * (lines + 0.7) * 2)  # two pixels a point
    bands = tab.page.evaluate(BANDS, [f"data:image/png;base64,{base64.b64encode(png).decode()}", low])
    assert lines >= len(CAVEATS)
    assert bands >= lines
    assert tab.seen.console == []


def test_an_exported_csv_holds_source_and_caveats(open_page: Callable[..., Tab]) -> None:
    tab = open_page(LADDER)
    with tab.page.expect_download() as waiting:
        tab.page.locator("#chart-ladder a").click()
    comments = [line for line in waiting.value.path().read_text().splitlines() if line.startswith("# ")]
    for said in CAVEATS:
        assert said in " ".join(comments)


def test_charts_are_exported_without_the_network(open_page: Callable[..., Tab], tmp_path: Path) -> None:
    tab = open_page(LADDER)
    tab.page.context.set_offline(True)
    assert exported(tab, "ladder", "png", tmp_path).startswith(b"\x89PNG")


def test_the_ttft_chart_has_a_panel_for_every_prompt_length(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/sources/vllm-2026-10-07-deepseek-v41-flash")
    tab.page.locator("#chart-ttft").scroll_into_view_if_needed()  # it is drawn when somebody comes near
    expect(tab.page.locator("#chart-ttft .point")).to_have_count(30)
    text = tab.page.locator("#chart-ttft .plot").inner_text() or tab.page.locator("#chart-ttft .plot").text_content()
    assert all(length in str(text) for length in ("1K", "4K", "8K", "32K", "128K", "+11.9 %"))


def test_without_scripts_the_table_of_the_same_numbers_is_pointed_to(open_page: Callable[..., Tab]) -> None:
    tab = open_page(LADDER, scripts=False)
    expect(tab.page.locator("#chart-ladder")).to_contain_text(
        "The chart needs JavaScript. The same numbers stand in the table below."
    )
    expect(tab.page.locator("#ladder tbody tr")).to_have_count(17)

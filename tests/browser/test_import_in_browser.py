"""Importing a result file in a real browser: by keyboard, by dropping it, and without JavaScript."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_pages_in_browser import serious
from tests.importers.factories import DATA

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.browser.conftest import Tab

pytestmark = pytest.mark.xdist_group("browser")
RESULT = DATA / "guidellm_sweep.json"
DROP = """([data, name]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], name));
  const field = document.querySelector(".drop");
  field.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""


def on(page: Page, part: str) -> None:
    expect(page).to_have_url(re.compile(part))


@pytest.mark.parametrize("scripts", [True, False])
def test_a_file_is_sent_completed_and_recorded(
    open_page: Callable[..., Tab], signed_in: Callable[[Page], None], scripts: bool
) -> None:
    page = open_page("/", scripts=scripts).page
    signed_in(page)
    page.goto("/import")
    page.get_by_label("Result file").set_input_files(RESULT)
    page.get_by_role("button", name="Read the file").press("Enter")
    on(page, "/import/[0-9a-f]{64}")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Record the chosen").press("Enter")
    assert "Engine is missing" in page.get_by_role("alert").filter(has_text="No card").inner_text()
    page.get_by_label("Engine", exact=True).fill("vllm")
    page.get_by_label("GPU", exact=True).fill("H200")
    page.get_by_role("button", name="Record the chosen").press("Enter")
    on(page, "#recorded")
    expect(page.get_by_role("status").filter(has_text="recorded")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^card-"))).not_to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_dropped_file_is_taken_and_the_pages_are_accessible(
    open_page: Callable[..., Tab], signed_in: Callable[[Page], None]
) -> None:
    tab = open_page("/")
    signed_in(tab.page)
    tab.page.goto("/import")
    assert serious(tab) == []
    tab.page.evaluate(DROP, [base64.b64encode(RESULT.read_bytes()).decode(), RESULT.name])
    tab.page.get_by_role("button", name="Read the file").click()
    on(tab.page, "/import/[0-9a-f]{64}")
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme)
        assert serious(tab) == []
    for width in (1440, 390):
        tab.page.set_viewport_size({"width": width, "height": 900})
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.page.get_by_role("button", name="Record the chosen").click()
    assert serious(tab) == []
    assert tab.page.evaluate("document.activeElement.className") == "trouble"

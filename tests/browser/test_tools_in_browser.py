"""The tools in a browser: the answer follows what is typed, and everything works by keyboard and without scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.tools.factories import LOGGED

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Tab

pytestmark = pytest.mark.xdist_group("browser")
CAPACITY = f"/tools/capacity?{urlencode(LOGGED)}"


def test_the_answer_and_the_address_follow_what_is_typed(open_page: Callable[..., Tab]) -> None:
    page = open_page(CAPACITY).page
    field = page.get_by_label("Context of one sequence")
    field.fill("4096")
    expect(page.locator(".tool-verdict")).to_have_text("22 sequences of 4,096 tokens fit on one GPU at once.")
    expect(page).to_have_url(re.compile("context=4096"))
    expect(page.get_by_role("status")).to_have_text("22 sequences of 4,096 tokens fit on one GPU at once.")
    expect(field).to_be_focused()
    page.reload()
    expect(field).to_have_value("4096")


def test_a_mistake_is_told_by_its_field_while_typing_and_goes_when_mended(open_page: Callable[..., Tab]) -> None:
    page = open_page(CAPACITY).page
    page.get_by_label("Weights on one GPU").fill("15")
    expect(page.locator("#e-weights")).to_contain_text("has no unit")
    link = page.get_by_role("link", name="Weights on one GPU")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Weights on one GPU")).to_be_in_viewport()
    page.get_by_label("Weights on one GPU").fill("15 GiB")
    expect(page.locator("#e-weights")).to_be_empty()
    expect(page.locator(".tool-verdict")).to_contain_text("fit on one GPU")


def test_only_the_fields_of_the_chosen_formula_show_and_a_faulty_one_never_hides(open_page: Callable[..., Tab]) -> None:
    page = open_page(CAPACITY, scripts=False).page
    expect(page.get_by_label("Latent width")).to_be_hidden()
    expect(page.get_by_label("Head dimension")).to_be_visible()
    page.get_by_label("How a token’s bytes are given").select_option("mla")
    expect(page.get_by_label("Latent width")).to_be_visible()
    expect(page.get_by_label("Head dimension")).to_be_hidden()
    page.goto(f"{CAPACITY}&latent_dim=wide")
    expect(page.get_by_label("Latent width")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_on_a_phone_computing_leads_to_the_answer(open_page: Callable[..., Tab], scripts: bool) -> None:
    page = open_page("/tools/speculation?claim=sglang-v41-step-16", width=390, scripts=scripts).page
    page.get_by_label("Another acceptance").fill("3.51")
    page.get_by_label("Another acceptance").press("Enter")
    verdict = page.get_by_text("At 3.51 tokens a step the same steps give about 557 tok/s.")
    expect(verdict).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_preset_fills_the_form_by_keyboard(open_page: Callable[..., Tab]) -> None:
    page = open_page("/tools/workload").page
    page.get_by_role("link", name="AgentX", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Input tokens")).to_have_value("142000")
    expect(page.get_by_text("Claims near your shape")).to_be_visible()

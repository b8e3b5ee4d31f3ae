"""Cards in a real browser: the form by keyboard, without scripts, with a draft, with files, in both ways of writing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect

from app.accounts.store import add_token
from app.accounts.tokens import new_token
from app.cards.examples import LONG
from app.db import Database
from app.randomness import SystemRandomness
from tests.browser.test_pages_in_browser import serious
from tests.cards.factories import sound
from tests.conftest import StillClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route

    from app.settings import Settings
    from tests.browser.conftest import Tab

pytestmark = pytest.mark.xdist_group("browser")

FEW = {
    "engine-name": "vllm",
    "model-id": "org/M",
    "hardware-accelerator": "H200",
    "workload-concurrency": "1",
    "result-value": "223.50",
    "result-unit": "tok/s",
}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"
DROP = """([selector, name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const dropped = new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true});
  document.querySelector(selector).dispatchEvent(dropped);
}"""


@pytest.fixture
def recorded(settings: Settings, address: str) -> Callable[..., str]:
    """Record a card by the API; returns its page's path."""
    token, database = new_token(SystemRandomness()), Database(settings.url())
    database.write(lambda session: add_token(session, token, "Ana", ("submit",), StillClock().now()))
    database.close()

    def record(text: str) -> str:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/yaml"}
        answer = httpx.post(f"{address}/api/v1/cards", content=text, headers=headers)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["url"])

    return record


def fill(page: Page, **more: str) -> None:
    for name, value in {**FEW, **more}.items():
        page.locator(f"#f-{name}").fill(value)
    page.locator("#f-metric-axis").select_option("decode_rate")


def status(page: Page) -> str:
    return page.locator("#check .status").inner_text()


def tab_to(page: Page, element: str) -> None:
    """Press Tab until this element has the keyboard."""
    for _ in range(150):
        if page.evaluate("document.activeElement.id") == element:
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {element}")


def test_a_card_is_recorded_by_keyboard_alone(
    open_page: Callable[..., Tab], signed_in: Callable[[Page], None], address: str
) -> None:
    tab = open_page("/sign-in")
    signed_in(tab.page)
    tab.seen.console.clear()
    tab.page.goto("/cards/new")
    for name, value in FEW.items():
        tab_to(tab.page, f"f-{name}")
        tab.page.keyboard.type(value)
        if name == "workload-concurrency":
            tab_to(tab.page, "f-metric-axis")
            tab.page.keyboard.type("decode rate")
    expect(tab.page.locator("#check .status")).to_have_text("Ready to record")
    tab.page.keyboard.press("Enter")
    expect(tab.page).to_have_url(re.compile(r"/cards/card-\d{8}-"))
    expect(tab.page.locator("h1")).to_contain_text("223.50 tok/s")
    assert tab.seen.console == []
    assert [url for url in tab.seen.requests if not url.startswith((address, "data:", "blob:"))] == []
    tab.page.goto("/cards/new")
    expect(tab.page.locator("#draft")).to_be_hidden()


def test_a_card_is_recorded_without_scripts(open_page: Callable[..., Tab], signed_in: Callable[[Page], None]) -> None:
    page = open_page("/sign-in", scripts=False).page
    signed_in(page)
    page.goto("/cards/new")
    page.locator("#f-runs-count").locator("xpath=ancestor::details/summary").click()
    fill(page, **{"engine-name": "", "runs-count": "six"})
    page.get_by_role("button", name="Record this card").click()
    expect(page).to_have_title(re.compile("^Error: "))
    page.locator("#error-summary a", has_text="Engine").click()
    expect(page).to_have_url(re.compile("#f-engine-name$"))
    expect(page.locator("#f-runs-count")).to_be_visible()
    page.locator("#f-runs-count").fill("6")
    page.locator("#f-engine-name").fill("sglang")
    page.get_by_role("button", name="YAML", exact=True).click()
    expect(page.locator("#yaml")).to_have_value(re.compile("name: sglang"))
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.locator("#f-result-value")).to_have_value("223.50")
    page.get_by_role("button", name="Record this card").click()
    expect(page.locator("h1")).to_contain_text("SGLang")


def test_findings_follow_what_is_typed_and_stand_by_their_field(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/cards/new")
    page = tab.page
    expect(page.locator("#check .status")).to_have_text("5 things still needed")
    fill(page, **{"result-unit": "tok/sec"})
    expect(page.locator("#e-result-unit")).to_contain_text("takes tok/s")
    expect(page.locator("#f-result-unit")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#hint-result-unit")).to_have_text("Takes tok/s.")
    page.locator("#check .to-mend a").click()
    expect(page.locator("#f-result-unit")).to_be_focused()
    page.locator("#f-result-unit").fill("tok/s")
    expect(page.locator("#e-result-unit")).to_be_empty()
    expect(page.locator("#f-result-unit")).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("#check .status")).to_have_text("Ready to record")
    expect(page.locator("#f-result-unit")).to_be_focused()
    assert tab.seen.console == []


def test_the_last_word_is_checked_however_slow_the_answer_to_the_one_before(open_page: Callable[..., Tab]) -> None:
    page = open_page("/cards/new").page
    held: list[Route] = []
    page.route("**/check", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/check"):
        page.locator("#f-engine-name").fill("vllm")
    for name in ("model-id", "hardware-accelerator"):
        page.locator(f"#f-{name}").fill("x")
        page.evaluate("htmx.trigger('#card-form', 'check')")
    held[0].continue_()
    expect(page.locator("#check .status")).to_have_text("2 things still needed")


def test_the_unit_follows_the_axis_until_one_is_typed(open_page: Callable[..., Tab]) -> None:
    page = open_page("/cards/new").page
    axis, unit = page.locator("#f-metric-axis"), page.locator("#f-result-unit")
    axis.select_option("ttft")
    expect(unit).to_have_value("ms")
    axis.select_option("output_throughput")
    expect(unit).to_have_value("tok/s")
    unit.fill("s")
    axis.select_option("ttft")
    expect(unit).to_have_value("s")


def test_what_is_typed_survives_a_reload_until_it_is_discarded(open_page: Callable[..., Tab]) -> None:
    page = open_page("/cards/new").page
    expect(page.locator("#draft")).to_be_hidden()
    page.locator("#f-engine-name").fill("vllm")
    page.locator("#f-note").locator("xpath=ancestor::details/summary").click()
    page.locator("#f-note").fill("two\nlines")
    expect(page.locator("#draft")).to_contain_text("Draft kept in this browser")
    page.reload()
    expect(page.locator("#draft")).to_contain_text("Your draft is back")
    expect(page.locator("#f-engine-name")).to_have_value("vllm")
    expect(page.locator("#f-note")).to_be_visible()
    expect(page.locator("#f-note")).to_have_value("two\nlines")
    expect(page.locator("#check .status")).to_have_text("4 things still needed")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.locator("#f-engine-name")).to_have_value("")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#f-engine-name")).to_have_value("vllm")
    page.get_by_role("button", name="Discard draft").click()
    page.reload()
    expect(page.locator("#draft")).to_be_hidden()
    expect(page.locator("#f-engine-name")).to_have_value("")


def test_the_yaml_and_the_form_say_the_same_at_every_turn(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/cards/new")
    page, text = tab.page, "# mine\nengine: vllm 0.33.0  # pinned\nalso: [{axis: ttft, value: 1, unit: ms}]\n"
    page.get_by_role("button", name="YAML", exact=True).click()
    expect(page.locator("#as-form")).to_be_hidden()
    page.locator("#yaml").fill(text)
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.locator("#f-engine-version")).to_have_value("0.33.0")
    page.locator("#f-engine-version").fill("0.34.0")
    page.locator("#f-model-id").fill("org/M")
    page.get_by_role("button", name="YAML", exact=True).click()
    changed = "# mine\nengine:\n  name: vllm\n  version: 0.34.0  # pinned\nmodel:\n  id: org/M\nalso:"
    expect(page.locator("#yaml")).to_have_value(re.compile(f"^{re.escape(changed)}"))
    page.reload()
    expect(page.locator("#yaml")).to_have_value(re.compile("^# mine"))
    expect(page.locator("#to-yaml")).to_have_attribute("aria-pressed", "true")
    assert tab.seen.console == []


def test_a_broken_text_stays_and_its_finding_leads_to_the_line(open_page: Callable[..., Tab]) -> None:
    page = open_page("/cards/new").page
    page.get_by_role("button", name="YAML", exact=True).click()
    page.locator("#yaml").fill("engine: vllm\nmodle: x\n")
    page.locator("#check .to-mend a", has_text="Line 2").click()
    expect(page.locator("#yaml")).to_be_focused()
    assert page.evaluate("document.getElementById('yaml').selectionStart") == len("engine: vllm\nmodle: ")
    page.locator("#yaml").fill("engine: [\n")
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.locator("#error-summary")).to_be_focused()
    expect(page.locator("#yaml")).to_have_value("engine: [\n")


def test_a_file_is_dropped_or_opened_and_can_be_undone(open_page: Callable[..., Tab]) -> None:
    tab = open_page("/cards/new")
    page = tab.page
    page.locator("#f-engine-name").fill("typed")
    page.evaluate(DROP, ["#as-form", "card.yaml", LONG])
    expect(page.locator("#yaml")).to_have_value(LONG)
    expect(page.locator("#check .status")).to_have_text("Ready to record")
    expect(page.locator("#draft")).to_contain_text("card.yaml is open here")
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.locator("#f-result-value")).to_have_value("873.63")
    page.locator("#file").set_input_files({"name": "b.yaml", "mimeType": "text/yaml", "buffer": b"engine: sglang\n"})
    expect(page.locator("#yaml")).to_have_value("engine: sglang\n")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#f-result-value")).to_have_value("873.63")
    page.locator("#file").set_input_files({"name": "c.yaml", "mimeType": "text/yaml", "buffer": b"\xff\xfe"})
    expect(page.locator("#alerts")).to_contain_text("c.yaml is not UTF-8")
    page.locator("#file").set_input_files({"name": "d.json", "mimeType": "text/yaml", "buffer": b"x" * 300_000})
    expect(page.locator("#alerts")).to_contain_text("at most 256 KB")
    expect(page.locator("#f-result-value")).to_have_value("873.63")
    assert tab.seen.console == []


def test_signed_out_meanwhile_nothing_is_lost(open_page: Callable[..., Tab], signed_in: Callable[[Page], None]) -> None:
    page = open_page("/sign-in").page
    signed_in(page)
    page.goto("/cards/new")
    fill(page)
    page.context.clear_cookies()
    page.get_by_role("button", name="Record this card").click()
    expect(page.locator("#error-summary")).to_contain_text("Not recorded")
    expect(page.locator("#f-result-value")).to_have_value("223.50")
    with page.expect_popup() as popup:
        page.get_by_role("link", name="sign in (opens beside this page)").click()
    signed_in(popup.value)
    page.get_by_role("button", name="Record this card").click()
    expect(page.locator("h1")).to_contain_text("223.50 tok/s")


def test_a_server_that_is_gone_is_told_and_what_is_typed_stays(open_page: Callable[..., Tab]) -> None:
    page = open_page("/cards/new").page
    fill(page)
    page.route("**/cards/new*", lambda route: route.abort())
    page.get_by_role("button", name="Record this card").click()
    expect(page.locator("#alerts")).to_contain_text("does not answer")
    expect(page.locator("#f-result-value")).to_have_value("223.50")
    expect(page.get_by_role("button", name="Record this card")).to_be_enabled()
    page.unroute("**/cards/new*")
    page.locator("#f-result-value").fill("224")
    expect(page.locator("#alerts")).to_be_empty()


def test_hostile_text_is_shown_literally(open_page: Callable[..., Tab], recorded: Callable[..., str]) -> None:
    lines = dict.fromkeys(("title", "note", "source", "excludes"), f"'{HOSTILE}'")
    path = recorded(sound(**lines, launch=f"{{argv: ['{HOSTILE}']}}"))
    for address in (path, f"{path}/revisions", f"{path}/edit", f"{path}/retract", "/cards"):
        tab = open_page(address)
        shown = tab.page.locator("main").inner_text() + "".join(
            field.input_value() for field in tab.page.locator("main textarea").all()
        )
        assert HOSTILE in shown
        assert tab.page.locator("main img, main script").count() == 0
        assert tab.seen.console == []


def test_the_questions_to_an_author_are_copied(open_page: Callable[..., Tab], recorded: Callable[..., str]) -> None:
    page = open_page(recorded(sound(launch=None))).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the questions").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert "Which launch command?" in page.evaluate("navigator.clipboard.readText()")


def test_the_list_filters_as_one_chooses(open_page: Callable[..., Tab], recorded: Callable[..., str]) -> None:
    recorded(sound(engine="{name: own-engine, version: '1'}"))
    tab = open_page("/cards")
    tab.page.get_by_label("Engine").select_option("own-engine")
    expect(tab.page).to_have_url(re.compile("engine=own-engine"))
    expect(tab.page.locator("#count")).to_have_text("1 card")
    assert tab.seen.console == []


@pytest.mark.parametrize("suffix", ["", "?revision=1", "/revisions", "/edit", "/retract"])
def test_a_cards_pages_are_accessible_silent_and_fit_every_width(
    open_page: Callable[..., Tab], recorded: Callable[..., str], address: str, suffix: str
) -> None:
    path = recorded(LONG + "repeats: sglang-v41-step-16\n")
    tab = open_page(path + suffix)
    assert serious(tab) == []
    tab.page.emulate_media(color_scheme="dark")
    assert serious(tab) == []
    for width in (1440, 1024, 390):
        tab.page.set_viewport_size({"width": width, "height": 900})
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious(tab) == []
    assert tab.seen.console == []
    assert [url for url in tab.seen.requests if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.parametrize("tab_name", ["Form", "YAML"])
def test_a_form_full_of_errors_is_accessible_too(open_page: Callable[..., Tab], tab_name: str) -> None:
    tab = open_page("/cards/new")
    tab.page.locator("#f-result-value").fill("x")
    tab.page.get_by_role("button", name=tab_name, exact=True).click()
    tab.page.get_by_role("button", name="Record this card").click()
    expect(tab.page.locator("#error-summary")).to_be_focused()
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme)
        assert serious(tab) == []

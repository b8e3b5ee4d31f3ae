"""The main pages look as they did when their pictures were taken (`make pictures` takes them again)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageChops

from bench.pictures import FOLDER, SHOTS, SIZE, TAKEN_WITH, take, taken_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from bench.pictures import Shot

pytestmark = pytest.mark.xdist_group("browser")

BLOCK = 12  # pixels a side: what lies in it is averaged, so that neither a letter's edge nor WebP's loss counts
APART = 20  # of 255, between two averages that look unlike
ALLOWED = 0.02  # of all blocks: a count that other tests of the session raise, an age in words
LARGEST = 60_000  # bytes of one picture


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    opened = browser.new_page(base_url=address, viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
    here, kept = taken_with(opened, browser), json.loads(TAKEN_WITH.read_text())
    if here != kept:
        opened.close()
        reason = f"the pictures were taken with {kept}, this machine draws with {here}: letters differ"
        pytest.skip(reason)
    yield opened
    opened.close()


def unlike(one: Image.Image, two: Image.Image) -> float:
    """The share of blocks that look unlike; 1 for pictures of two sizes."""
    if one.size != two.size:
        return 1.0
    few = (one.width // BLOCK, one.height // BLOCK)
    averages = [picture.convert("L").resize(few, Image.Resampling.BOX) for picture in (one, two)]
    apart = ImageChops.difference(*averages).histogram()
    return sum(apart[APART:]) / (few[0] * few[1])


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_a_page_looks_as_in_its_picture(page: Page, shot: Shot) -> None:
    with Image.open(FOLDER / f"{shot.name}.webp") as kept:
        apart = unlike(take(page, shot), kept.convert("RGB"))
    assert apart <= ALLOWED, f"{apart:.1%} of {shot.path} looks otherwise; if that is meant: make pictures"


def test_a_page_that_has_moved_by_a_line_looks_otherwise() -> None:
    with Image.open(FOLDER / "table.webp") as kept:
        assert unlike(ImageChops.offset(kept.convert("RGB"), 0, 20), kept.convert("RGB")) > ALLOWED


def test_the_pictures_are_small_and_none_is_left_over() -> None:
    found = {file.name: file.stat().st_size for file in FOLDER.glob("*.webp")}
    assert set(found) == {f"{shot.name}.webp" for shot in SHOTS}
    assert max(found.values()) <= LARGEST

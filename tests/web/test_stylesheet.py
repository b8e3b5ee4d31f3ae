"""One type scale and one grid: sizes and spaces are named once and used by their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from app.settings import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
SPACING = re.compile(r"(?<![\w-])(?:padding|margin|(?:row-|column-)?gap)(?:-[a-z-]+)?: ([^;}]+)")
ALLOWED = re.compile(r"var\(--s\d+\)|calc\(\d+ \* var\(--s1\)\)|-?1px|0|auto|!important")
SIZES = {"var(--small)", "var(--text)", "var(--large)", "var(--huge)", "inherit"}


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_space_is_a_step_of_the_grid(sheet: Path) -> None:
    text = sheet.read_text()
    off = {value for value in SPACING.findall(text) if ALLOWED.sub("", value).strip()}
    assert off == set()


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_text_has_one_of_four_sizes(sheet: Path) -> None:
    text = sheet.read_text()
    assert set(re.findall(r"font-size: ([^;}]+)", text)) <= SIZES


def test_the_grid_has_four_pixels() -> None:
    steps = dict(re.findall(r"--s(\d+): (\d+)px", (ROOT / "static" / "css" / "app.css").read_text()))
    assert steps.pop("0") == "2"  # half a step, for dense rows
    assert {int(name) * 4 for name in steps} == {int(size) for size in steps.values()}

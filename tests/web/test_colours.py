"""The colours of charts, as readers with each kind of colour blindness see them (Machado, Oliveira and Fernandes 2009,
severity 1), apart by their distance in CIELAB."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from app.settings import ROOT
from app.web.plots import COLUMN_FILLS, STEP_FILLS

Colour = tuple[float, ...]
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
SCHEMES = ("light", "dark")
TOLD_BY_COLOUR, TOLD_BY_PATTERN_TOO = 25, 8  # distances; about 2 is the least that can be seen
EDGE = 3  # contrast that a mark needs against the paper, WCAG 1.4.11


def scheme(name: str) -> dict[str, Colour]:
    """Every colour that the stylesheet names, as linear RGB."""
    sheet = (ROOT / "static" / "css" / "app.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)
    found = re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+)", blocks[SCHEMES.index(name)])
    return {key: linear(value.lstrip("#")) for key, value in found}


def linear(digits: str) -> Colour:
    pairs = [digit * 2 for digit in digits] if len(digits) == 3 else [digits[at : at + 2] for at in (0, 2, 4)]
    shares = [int(pair, 16) / 255 for pair in pairs]
    return tuple(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)


def lab(colour: Colour, eye: str) -> Colour:
    r, g, b = (min(1.0, max(0.0, sum(part * own for part, own in zip(row, colour, strict=True)))) for row in EYES[eye])
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def apart(one: Colour, other: Colour, eye: str) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(lab(one, eye), lab(other, eye), strict=True)) ** 0.5)


def contrast(one: Colour, other: Colour) -> float:
    light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (one, other))
    return float((light[1] + 0.05) / (light[0] + 0.05))


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", SCHEMES)
def test_the_engines_are_apart_for_every_eye(name: str, eye: str) -> None:
    of = scheme(name)
    assert apart(of["vllm"], of["sglang"], eye) > TOLD_BY_COLOUR


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", SCHEMES)
def test_the_fills_of_bars_are_apart_for_every_eye(name: str, eye: str) -> None:
    fills = [colour for key, colour in scheme(name).items() if key.startswith("bar-")]
    assert min(apart(one, other, eye) for one, other in combinations(fills, 2)) > TOLD_BY_PATTERN_TOO


@pytest.mark.parametrize("name", SCHEMES)
def test_marks_stand_out_from_the_paper(name: str) -> None:
    of = scheme(name)
    drawn = [key for key in of if key.startswith("bar-") or key in ("vllm", "sglang", "other")]
    assert {key for key in drawn if contrast(of[key], of["paper"]) < EDGE} == set()


@pytest.mark.parametrize("name", SCHEMES)
def test_no_fill_has_the_colour_of_an_engine_or_of_a_verdict(name: str) -> None:
    of = scheme(name)
    meant = [of[key] for key in ("vllm", "sglang", "v-no", "v-partly", "v-yes")]
    fills = [colour for key, colour in of.items() if key.startswith("bar-")]
    assert min(apart(fill, other, "all cones") for fill in fills for other in meant) > TOLD_BY_PATTERN_TOO


def test_patterns_alone_tell_kinds_of_steps_and_columns_apart() -> None:
    for fills in (STEP_FILLS.values(), COLUMN_FILLS):
        assert len({(fill.shape, fill.size) for fill in fills}) == len(fills)

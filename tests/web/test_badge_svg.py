"""Badges are sound SVG that may stand on any page."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from app.web.badge_svg import STATUS_WORDS, BadgeSaid, badge


@pytest.mark.parametrize("status", [*STATUS_WORDS, "unheard"])
def test_every_badge_is_sound_svg_without_style_or_script(status: str) -> None:
    root = ET.fromstring(
        badge(BadgeSaid.of_measurement(status, elsewhere=False), "<script>alert('&\"')</script>", dummy=True)
    )
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "rect", "g", "text"}
    assert STATUS_WORDS.get(status, "not stated") in "".join(root.itertext())


def test_a_title_says_nothing_twice() -> None:
    drawn = badge(BadgeSaid.of_measurement("never_tried", elsewhere=False), "Never tried.", dummy=False)
    title = ET.fromstring(drawn)[0].text or ""
    assert title.count("never tried") == 1
    assert "ever tried. " not in title

"""Where the label of each mark of a chart stands, so that close marks stay legible. Pure.

Boxes are laid out as on a phone, where the plot is smallest: what is legible there is so everywhere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Place = tuple[float, float]
    Box = tuple[float, float, float, float]  # left, top, right, bottom

WIDTH, HEIGHT = 290, 170  # of the plot itself, in px
SIGN, LINE, MARK, GAP = 7, 12, 12, 2  # width and height of a sign, size of a mark, room between the two
# Plotly's name -> where the label's middle is from that of the mark, in labels and marks.
PLACES = {
    "top center": (0, -1),
    "bottom center": (0, 1),
    "middle right": (1, 0),
    "middle left": (-1, 0),
    "top right": (1, -1),
    "bottom right": (1, 1),
    "top left": (-1, -1),
    "bottom left": (-1, 1),
}


def label_places(labels: Sequence[tuple[str, float, float]], *, log_x: bool, log_y: bool) -> list[str]:
    """Of each label with its mark's x and y: the first place in which it meets no mark and no label before it, else the
    one where it meets least."""
    if not labels:
        return []
    xs = _scaled([x for _, x, _ in labels], WIDTH, log=log_x)
    ys = [HEIGHT - y for y in _scaled([y for _, _, y in labels], HEIGHT, log=log_y)]
    taken = [_box(x, y, MARK, MARK) for x, y in zip(xs, ys, strict=True)]
    found = []
    for (text, _, _), x, y in zip(labels, xs, ys, strict=True):
        boxes = {name: _beside(text, (x, y), place) for name, place in PLACES.items()}
        best = min(boxes, key=lambda name: sum(_shared(boxes[name], other) for other in taken))
        taken.append(boxes[best])
        found.append(best)
    return found


def _scaled(values: Sequence[float], size: float, *, log: bool) -> list[float]:
    known = [math.log10(value) for value in values] if log else list(values)
    low, high = (min(known) if log else 0.0), max(known)
    return [(value - low) / ((high - low) or 1.0) * size for value in known]


def _beside(text: str, mark: Place, place: tuple[int, int]) -> Box:
    width = SIGN * len(text)
    x = mark[0] + place[0] * ((width + MARK) / 2 + GAP)
    y = mark[1] + place[1] * ((LINE + MARK) / 2 + GAP)
    return _box(x, y, width, LINE)


def _box(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _shared(one: Box, other: Box) -> float:
    """The area in which two boxes lie over each other."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)

"""A picture of 1200 x 630 pixels with the words of app.web.picture_words. Nothing is cut without an ellipsis, and of
caveats that do not fit it is said how many there are."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING

from app.errors import BusyError
from app.settings import ROOT
from app.web.render import static_mark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

    from app.web.picture_words import Picture

WIDTH, HEIGHT = 1200, 630
EDGE, NAME_WIDTH = 64, 150
PLAIN, BOLD = "vendor/dejavu-sans-2.37.ttf", "vendor/dejavu-sans-bold-2.37.ttf"
INK, SOFT, PAPER, LINE = "#1b1b1a", "#595956", "#ffffff", "#85857f"  # of static/css/app.css, in light
DRAWN_AS = "2"  # another drawing of the same words is another picture
ROOMY = 330  # above it a line may take three rows and leave one for what to mind
LEAD_SIZES = (84, 72, 60, 48, 40)
KEPT, WAITING = 200, 8  # pictures, of about 50 KB each; requests that may wait for a drawing
ELLIPSIS = "…"
_drawing, _waiting = Lock(), BoundedSemaphore(WAITING)


def mark(picture: Picture) -> str:
    """What marks a picture's content, known before it is drawn."""
    return sha256(repr((DRAWN_AS, static_mark(PLAIN), static_mark(BOLD), picture)).encode()).hexdigest()[:32]


@lru_cache(maxsize=KEPT)
def png(picture: Picture) -> bytes:
    """Drawn once and kept, one at a time. Raises BusyError where many wait already, so that whoever asks for every
    picture there is holds up nobody else."""
    if not _waiting.acquire(blocking=False):
        raise BusyError("many pictures are being drawn", 5)
    try:
        with _drawing:
            return _png(picture)
    finally:
        _waiting.release()


def _png(picture: Picture) -> bytes:
    from PIL import Image, ImageDraw  # noqa: PLC0415 (only a picture needs it: no command waits for it to load)

    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    _Sheet(ImageDraw.Draw(image)).fill(picture)
    made = io.BytesIO()
    image.save(made, "PNG")
    return made.getvalue()


@dataclass
class _Sheet:
    """Fills the picture from its top; `y` is where the next line begins."""

    draw: ImageDraw
    y: int = 48

    def fill(self, picture: Picture) -> None:
        self._top(picture.stamp)
        self.y += 26
        size = next((size for size in LEAD_SIZES if _width(picture.lead, BOLD, size) <= WIDTH - 2 * EDGE), 40)
        self._lines(picture.lead, BOLD, size, 1 if size > 40 else 2)
        self.y += 8
        self._lines(picture.rest, BOLD, 30, 3 if len(picture.lines) < 3 else 2)
        self.y += 16
        for name, text in picture.lines:
            self._named(name, text, 1 if len(picture.lines) > 2 else 3 if self.y < ROOMY else 2)
        self._mind(picture.caveats)
        foot = fitted(picture.url, PLAIN, 22, WIDTH - 2 * EDGE, 1)[0]
        self.draw.line((EDGE, HEIGHT - 72, WIDTH - EDGE, HEIGHT - 72), fill=LINE, width=1)
        self.draw.text((EDGE, HEIGHT - 56), foot, font=_font(PLAIN, 22), fill=SOFT)

    def _top(self, stamp: str) -> None:
        self.draw.text((EDGE, self.y), "Benchcard", font=_font(BOLD, 26), fill=INK)
        text = fitted(stamp, BOLD, 24, 520, 1)[0]
        left = WIDTH - EDGE - _width(text, BOLD, 24) - 28
        self.draw.rectangle((left, self.y - 8, WIDTH - EDGE, self.y + 38), outline=INK, width=2)
        self.draw.text((left + 14, self.y), text, font=_font(BOLD, 24), fill=INK)
        self.y += 40

    def _lines(self, text: str, face: str, size: int, most: int, left: int = EDGE) -> None:
        for line in fitted(text, face, size, WIDTH - EDGE - left, most):
            self.draw.text((left, self.y), line, font=_font(face, size), fill=INK)
            self.y += round(size * 1.25)

    def _named(self, name: str, text: str, most: int) -> None:
        self.draw.text((EDGE, self.y), name, font=_font(PLAIN, 24), fill=SOFT)
        self._lines(text, PLAIN, 24, most, EDGE + NAME_WIDTH)
        self.y += 4

    def _mind(self, caveats: tuple[str, ...]) -> None:
        room = max(1, (HEIGHT - 84 - self.y) // 30)
        self._named("Mind", counted_out(caveats, PLAIN, 24, WIDTH - 2 * EDGE - NAME_WIDTH, min(room, 3)), min(room, 3))


def counted_out(items: tuple[str, ...], face: str, size: int, width: int, most: int) -> str:
    """As many of the items as fit, and how many there are besides."""
    if not items:
        return "no caveat recorded"
    for count in range(len(items), 0, -1):
        left = len(items) - count
        text = "; ".join(items[:count]) + (f"; and {left} more" if left else "")
        if len(_wrapped(text, face, size, width)) <= most:
            return text
    # Not even one: its kind is cut, the number of the others never.
    more = f"; and {len(items) - 1} more" if len(items) > 1 else ""
    return fitted(items[0], face, size, width - _width(more, face, size), 1)[0] + more


def fitted(text: str, face: str, size: int, width: int, most: int) -> list[str]:
    """The text in at most so many lines of that width, with an ellipsis where it goes on."""
    lines = _wrapped(" ".join(text.split()), face, size, width)
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and _width(last + ELLIPSIS, face, size) > width:
        last = last.rpartition(" ")[0].rstrip(" ,;:") or last[:-1]
    return [*lines[: most - 1], last + ELLIPSIS]


def _wrapped(text: str, face: str, size: int, width: int) -> list[str]:
    lines = [""]
    for word in _pieces(text, face, size, width):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if _width(longer, face, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _pieces(text: str, face: str, size: int, width: int) -> Iterable[str]:
    """The words; one that is longer than a line in pieces."""
    for word in text.split(" "):
        rest = word
        while _width(rest, face, size) > width:
            cut = next(end for end in range(len(rest), 0, -1) if end == 1 or _width(rest[:end], face, size) <= width)
            yield rest[:cut]
            rest = rest[cut:]
        yield rest


def _width(text: str, face: str, size: int) -> int:
    return round(_font(face, size).getlength(text))


@cache
def _font(face: str, size: int) -> FreeTypeFont:
    from PIL import ImageFont  # noqa: PLC0415 (as above)

    return ImageFont.truetype(str(ROOT / "static" / face), size)

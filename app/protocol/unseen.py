"""Characters that nobody sees, or that change how a line is shown: what is approved byte for byte holds none. Pure."""

from __future__ import annotations

import unicodedata

_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")  # controls, bidi and joiners, private ones, odd spaces
_SHOWN = " \n\t"
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and marks that draw nothing
_SELECTORS = (
    range(0xFE00, 0xFE10),
    range(0x180B, 0x1810),
    range(0xE0100, 0xE01F0),
)  # they choose how the one before looks


def first_unseen(text: str) -> str | None:
    """The first of them as `U+202E`; None where there is none."""
    return next((_named(sign) for sign in text if _is_unseen(sign)), None)


def visible(text: str) -> str:
    """The text with each of them written out."""
    return "".join(f"⟦{_named(sign)}⟧" if _is_unseen(sign) else sign for sign in text)


def _is_unseen(sign: str) -> bool:
    if sign in _SHOWN:
        return False
    return unicodedata.category(sign) in _CATEGORIES or sign in _BLANK or any(ord(sign) in part for part in _SELECTORS)


def _named(sign: str) -> str:
    return f"U+{ord(sign):04X}"

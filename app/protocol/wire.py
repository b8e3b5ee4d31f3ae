"""What every message between app and runners has in common."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

LARGEST = 2**53 - 1  # whole numbers that every JSON reader keeps


def plain(text: str) -> str:
    """Without characters that change how a line is shown, or that no database stores."""
    if any((ord(sign) < 32 and sign not in "\n\t") or 0x7F <= ord(sign) < 0xA0 for sign in text):
        raise ValueError("control characters are not allowed")
    if any(0xD800 <= ord(sign) < 0xE000 for sign in text):
        raise ValueError("half of a surrogate pair is not a character")
    return text


def normal(text: str) -> str:
    """Composed as Unicode's NFC says: two texts that look the same are the same."""
    if not unicodedata.is_normalized("NFC", text):
        raise ValueError("letters and their accents are written as one character (Unicode NFC)")
    return text


class Wire(BaseModel):
    """Strict both ways: an unknown key, a number as text or a NaN is refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


Text = Annotated[str, StringConstraints(max_length=4000), AfterValidator(plain)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
Key = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{8,100}$")]  # a request's or a boot's own random text
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=1, le=10**9)]
Tally = Annotated[int, Field(ge=0, le=LARGEST)]
Seconds = Annotated[float, Field(ge=0, le=10**7)]

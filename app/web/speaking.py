"""The language of a page: what the reader chose here, else what the browser asks for, else English.

Only what is set here makes anybody speak it: the JSON API, files, pictures, badges and feeds stay English.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Depends, Request

from app.edge import is_api, weights
from app.language import ENGLISH, speaking
from app.locale import languages, negotiated

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from app.language import Language

COOKIE = "language"
VARY = "HX-Request, Cookie, Accept-Language"


def language_of(request: Request) -> Language:
    """What this reader is to be answered in."""
    chosen = languages().get(request.cookies.get(COOKIE, ""))
    if chosen is not None:
        return chosen
    asked = weights(request.headers.getlist("accept-language"))
    return negotiated([name for name in sorted(asked, key=asked.__getitem__, reverse=True) if asked[name]])


def language_at(request: Request) -> Language:
    """For the whole request, its refusal too."""
    return ENGLISH if is_api(request.url.path) else language_of(request)


async def _speak(request: Request) -> AsyncIterator[None]:
    with speaking(language_of(request)):
        yield


async def _speak_english() -> AsyncIterator[None]:
    with speaking(ENGLISH):
        yield


SPEAKING = Depends(_speak)  # of a page where else a program asks
IN_ENGLISH = Depends(_speak_english)  # of a file among the pages

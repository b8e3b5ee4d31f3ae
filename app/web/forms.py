"""Reading a posted form that may hold a whole card. What was typed comes back whatever happens to it."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import Depends, Request

from app.cards.load import MOST_BYTES
from app.errors import InvalidInputError, TooLargeError
from app.language import _

MOST_FIELDS = 2200  # every measurement of a file may be chosen
# A card's text may stand in the form beside the fields made from it, and each byte may be sent as three.
LONGEST_FORM = 7 * MOST_BYTES


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a posted form, each once. Raises as `read_pairs`."""
    return dict(await read_pairs(request))


async def read_pairs(request: Request) -> list[tuple[str, str]]:
    """The fields of a posted form in its order; line ends as in a file. Raises TooLargeError, InvalidInputError."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LONGEST_FORM:
            most = _("a card has at most {number} KB of text").format(number=MOST_BYTES // 1024)
            raise TooLargeError(_("{most}; go back with your browser: what you typed is still there").format(most=most))
        parts.append(part)
    try:
        given = parse_qsl(b"".join(parts).decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise InvalidInputError(_("this is no form")) from error
    return [(name, value.replace("\r\n", "\n")) for name, value in given]


CARD_FORM = Depends(read_form)
PAIRS = Depends(read_pairs)

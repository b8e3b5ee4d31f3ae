"""The place in a sorted list, as an opaque text: sort, digest of the filter, the last claim's sort key.

Because it holds the key and not a page number, claims that come or go between two pages shift nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
from hashlib import sha256
from typing import TYPE_CHECKING

from app.errors import InvalidInputError
from app.language import _

if TYPE_CHECKING:
    from app.claims.rows import ClaimFilter, Sort

Key = tuple[object, ...]
SHAPES: dict[str, tuple[type, ...]] = {
    "rank": (int, str),
    "newest": (int, int, str),
    "value": (int, float, int, str),
    "-value": (int, float, int, str),
}


def write_cursor(sort: Sort, wanted: ClaimFilter, key: Key) -> str:
    packed = json.dumps([sort, digest(wanted), *key], separators=(",", ":"))
    return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def read_cursor(sort: Sort, wanted: ClaimFilter, cursor: str) -> Key:
    """The key after which the next page begins. Raises InvalidInputError for a cursor of another list or of no list."""
    try:
        found = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        found = None
    if not isinstance(found, list) or found[:2] != [sort, digest(wanted)]:
        message = _("this cursor belongs to another list; leave it out to begin at the first page")
        raise InvalidInputError(message, [{"field": "cursor", "message": message}])
    key = tuple(found[2:])
    if tuple(map(type, key)) != SHAPES[sort]:
        message = _("this cursor is damaged; leave it out to begin at the first page")
        raise InvalidInputError(message, [{"field": "cursor", "message": message}])
    return key


def digest(wanted: ClaimFilter) -> str:
    chosen = sorted((facet, sorted(set(values))) for facet, values in wanted.values if values)
    return sha256(json.dumps([chosen, wanted.q]).encode()).hexdigest()[:8]

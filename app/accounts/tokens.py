"""Secrets and what they allow. Pure: no database, no clock.

A secret is 256 random bits, so its SHA-256 is enough to store: there is nothing to guess slowly.
"""

from __future__ import annotations

import base64
import datetime as dt
import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.randomness import Randomness

Scope = Literal[
    "submit",  # record cards and measurements, change and retract one's own
    "maintain",  # the same for everybody's, and approve what may be executed
    "runner",  # take jobs and hand in their results
]
SCOPES: tuple[Scope, ...] = get_args(Scope)

TOKEN_MARK = "bcr_"  # noqa: S105 (the beginning of every token, so that a leak is recognised)
SECRET = re.compile(r"(?:bcr_)?[A-Za-z0-9_-]{43}")
ID_LETTERS = 8
SECRET_BYTES = 32
SESSION_LIFE = dt.timedelta(days=30)
LINK_LIFE = dt.timedelta(hours=1)


@dataclass(frozen=True)
class Actor:
    """Somebody who is known. `id` stays the same for as long as the token does; cards belong to it."""

    id: str
    name: str
    scopes: frozenset[str]
    token: str | None  # id of the token that was shown, None where a browser session was opened by a link
    last_used: dt.datetime | None = field(default=None, compare=False)  # of the token, None where that was not read

    def may(self, scope: Scope) -> bool:
        """A maintainer may also do what a submitter may."""
        return scope in self.scopes or (scope == "submit" and "maintain" in self.scopes)


def new_secret(randomness: Randomness) -> str:
    return base64.urlsafe_b64encode(randomness.take(SECRET_BYTES)).decode().rstrip("=")


def new_token(randomness: Randomness) -> str:
    return TOKEN_MARK + new_secret(randomness)


def token_id(token: str) -> str:
    """The token's beginning with its mark: a secret may begin with a dash, which a command takes for an option."""
    return token[: len(TOKEN_MARK) + ID_LETTERS]


def digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def is_well_formed(secret: str) -> bool:
    return SECRET.fullmatch(secret) is not None


def join(scopes: Iterable[str]) -> str:
    """Scopes as they are stored, in the order of SCOPES."""
    chosen = set(scopes)
    return " ".join(scope for scope in SCOPES if scope in chosen)

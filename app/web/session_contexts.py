"""What the sign-in page is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.contexts import Shell


@dataclass(frozen=True, slots=True)
class SignInPage:
    template: ClassVar[str] = "session/sign_in.html"

    shell: Shell
    name: str  # "" where nobody is signed in
    scopes: str
    link: str  # the secret of a sign-in link, "" where the page was not opened by one
    next: str
    trouble: str

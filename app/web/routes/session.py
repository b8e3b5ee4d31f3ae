"""Signing a browser in and out. A link's secret is used up by a button, not by opening it: mail scanners open links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.accounts.access import PLAIN_COOKIE, SECURE_COOKIE, session_secret
from app.accounts.store import sign_in_by_link, sign_in_by_token, sign_out
from app.accounts.tokens import SESSION_LIFE, new_secret
from app.errors import InvalidInputError, TooLargeError, TooManyError, UnauthorizedError
from app.language import N_, _
from app.web.contexts import Shell
from app.web.render import respond
from app.web.session_contexts import SignInPage
from app.web.visitor import accounts, visitor

if TYPE_CHECKING:
    from fastapi import Response

router = APIRouter(default_response_class=HTMLResponse)
LONGEST_FORM = 8192  # bytes
ABOUT = N_("Sign in with a token or a one-time link to record bench cards.")


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a posted form, each once. Raises TooLargeError, InvalidInputError."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > LONGEST_FORM:
            raise TooLargeError(_("a form here has at most {most} bytes").format(most=LONGEST_FORM))
    try:
        return dict(parse_qsl(data.decode(), keep_blank_values=True, max_num_fields=20, errors="strict"))
    except ValueError as error:
        raise InvalidInputError(_("this is no form")) from error


Form = Annotated[dict[str, str], Depends(read_form)]


@router.get("/sign-in")
def sign_in_page(request: Request) -> HTMLResponse:
    """Who is signed in, and how to sign in."""
    asked = request.query_params
    return _page(request, link=asked.get("link", ""), following=asked.get("next", "/"))


@router.post("/sign-in", response_model=None)
def sign_in(request: Request, form: Form) -> Response:
    """Opens a session by a token or by a link, then goes on to where the visitor wanted to be."""
    state = request.app.state
    address = request.client.host if request.client else "unknown"
    secret, now = new_secret(state.randomness), state.clock.now()
    following = form.get("next", "/")
    try:
        state.throttle.check(address)
        if form.get("link"):
            state.database.write(lambda session: sign_in_by_link(session, form["link"], secret, now))
        else:
            actor = accounts(request).of_token(form.get("token", "").strip())
            if actor is None:
                raise UnauthorizedError(_("this token is unknown or was revoked"))
            state.database.write(lambda session: sign_in_by_token(session, actor, secret, now))
    except (UnauthorizedError, TooManyError) as error:
        if isinstance(error, UnauthorizedError):
            state.throttle.failed(address)
        wait = error.retry_after if isinstance(error, TooManyError) else None
        return _page(request, following=following, trouble=error.message, status=error.status, wait=wait)
    answer = RedirectResponse(local(following), 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(
        SECURE_COOKIE if secure else PLAIN_COOKIE,
        secret,
        max_age=int(SESSION_LIFE.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=secure,
    )
    return answer


@router.post("/sign-out", response_model=None)
def leave(request: Request) -> Response:
    """Ends the session here and in the database."""
    secret = session_secret(request.cookies)
    if secret:
        request.app.state.database.write(lambda session: sign_out(session, secret))
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(PLAIN_COOKIE, httponly=True, samesite="lax")
    answer.delete_cookie(SECURE_COOKIE, httponly=True, samesite="lax", secure=True)
    return answer


def _page(
    request: Request,
    *,
    link: str = "",
    following: str = "/",
    trouble: str = "",
    status: int = 200,
    wait: int | None = None,
) -> HTMLResponse:
    actor = visitor(request)
    context = SignInPage(
        shell=Shell(_("Sign in"), _(ABOUT), "/sign-in"),
        name=actor.name if actor else "",
        scopes=", ".join(sorted(actor.scopes)) if actor else "",
        link=link,
        next=local(following),
        trouble=trouble,
    )
    later = {} if wait is None else {"Retry-After": str(wait)}
    return respond(request, context, status=status, headers={"Cache-Control": "no-store", **later})


def local(address: str) -> str:
    """An address of this site, the start page for any other: a sign-in must not send people elsewhere."""
    plain = address.isprintable() and address.isascii() and "\\" not in address
    return address if plain and address.startswith("/") and not address.startswith("//") else "/"

"""The switch between languages, at the foot of every page."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.errors import InvalidInputError
from app.language import _
from app.locale import languages
from app.web.routes.session import Form, local
from app.web.speaking import COOKIE

router = APIRouter(default_response_class=HTMLResponse)
A_YEAR = 365 * 86_400  # s


@router.post("/language", response_model=None)
def choose_language(request: Request, form: Form) -> RedirectResponse:
    """Keeps the choice in a cookie and goes back to the page. Raises InvalidInputError for a language that is not
    there."""
    code, known = form.get("language", ""), languages()
    if code not in known:
        raise InvalidInputError(
            _("`language` is one of {known}, got `{code}`").format(known=", ".join(known), code=code[:20])
        )
    answer = RedirectResponse(local(_left(request) or form.get("next", "/")), 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, code, max_age=A_YEAR, httponly=True, samesite="lax", secure=secure)
    return answer


def _left(request: Request) -> str:
    """The page as the browser has it now, which a filter may have changed since it was served; "" where it does not
    say."""
    try:
        page = urlsplit(request.headers.get("referer", ""))
    except ValueError:  # no address at all
        return ""
    if page.netloc != request.url.netloc:
        return ""
    return f"{page.path}?{page.query}" if page.query else page.path

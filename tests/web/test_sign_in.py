"""Signing a browser in: by a token or by a link that works once, with a cookie that scripts cannot read."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from app.accounts.access import PLAIN_COOKIE, SECURE_COOKIE
from app.accounts.throttle import MOST
from app.accounts.tokens import SESSION_LIFE
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def post(site: Site, url: str = "/sign-in", **fields: str) -> httpx.Response:
    return site.client.request("POST", url, content=urlencode(fields))


def shown_as(site: Site, cookie: str) -> str:
    """What the sign-in page says to a browser with this cookie."""
    return site.get("/sign-in", headers={"Cookie": cookie}).text


def test_a_token_signs_a_browser_in_for_thirty_days(site: Site) -> None:
    answer = post(site, token=site.token(), next="/cards/new")
    cookie = answer.headers["set-cookie"]
    assert (answer.status_code, answer.headers["location"]) == (303, "/cards/new")
    assert {"HttpOnly", "SameSite=lax", "Path=/", f"Max-Age={30 * 86400}"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    secret = f"{PLAIN_COOKIE}={answer.cookies[PLAIN_COOKIE]}"
    assert "Signed in as <strong>Ana</strong> (submit)" in shown_as(site, secret)
    site.clock.moment += SESSION_LIFE
    assert "Signed in as" not in shown_as(site, secret)


@pytest.mark.parametrize("path", ["/", "/cards", "/axes", "/sign-in", "/nothing"])
def test_every_page_leads_to_signing_in_and_then_says_who_is(site: Site, path: str) -> None:
    stranger = site.get(path)
    assert re.search(r'<a class="visitor" href="/sign-in"[^>]*>Sign in</a>', stranger.text)
    assert "Cookie" in stranger.headers["vary"]
    cookie = f"{PLAIN_COOKIE}={post(site, token=site.token(name='Ana <b>')).cookies[PLAIN_COOKIE]}"
    page = site.get(path, headers={"Cookie": cookie}).text
    assert re.search(r'<a class="visitor" href="/sign-in"[^>]*><span .*?</span>Ana &lt;b&gt;</a>', page)


def test_over_https_the_cookie_is_bound_to_the_host(site: Site) -> None:
    answer = post(site, "https://bench.test/sign-in", token=site.token())
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{SECURE_COOKIE}=")
    assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_opening_a_link_uses_nothing_up(site: Site) -> None:
    link = site.link()
    for _ in range(3):
        page = site.get(f"/sign-in?link={link}")
        assert f'name="link" value="{link}"' in page.text
        assert page.headers["cache-control"] == "no-store"
    assert post(site, link=link).status_code == 303


def test_a_link_signs_one_browser_in(site: Site) -> None:
    link = site.link()
    assert post(site, link=link).status_code == 303
    again = post(site, link=link)
    assert (again.status_code, "set-cookie" in again.headers) == (401, False)
    assert "was used or is too old" in again.text


@pytest.mark.parametrize("fields", [{}, {"token": ""}, {"token": "bcr_" + "A" * 43}, {"link": "x"}, {"token": "\x00"}])
def test_what_opens_nothing_is_told_on_the_page(site: Site, fields: dict[str, str]) -> None:
    answer = post(site, **fields)
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert 'role="alert"' in answer.text


def test_an_address_that_fails_often_has_to_wait(site: Site) -> None:
    token = site.token()
    for _ in range(MOST):
        assert post(site, token="x").status_code == 401
    refused = post(site, token=token)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "61")
    site.clock.moment += dt.timedelta(minutes=1)
    assert post(site, token=token).status_code == 303


@pytest.mark.parametrize(
    "address", ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", "\r\nX: y", "", "é"]
)
def test_a_sign_in_leads_nowhere_else(site: Site, address: str) -> None:
    assert post(site, token=site.token(), next=address).headers["location"] == "/"
    page = site.get("/sign-in", params={"next": address, "link": '"><script>'})
    assert 'name="next" value="/"' in page.text
    assert "<script>" not in page.text


def test_signing_out_ends_the_session_here_and_on_the_server(site: Site) -> None:
    cookie = f"{PLAIN_COOKIE}={post(site, token=site.token()).cookies[PLAIN_COOKIE]}"
    answer = site.client.request("POST", "/sign-out", headers={"Cookie": cookie})
    assert answer.status_code == 303
    assert all("Max-Age=0" in line for line in answer.headers.get_list("set-cookie"))
    assert "Signed in as" not in shown_as(site, cookie)
    assert site.client.request("POST", "/sign-out").status_code == 303


def test_a_form_that_is_none_or_too_long_is_refused(site: Site) -> None:
    assert site.client.request("POST", "/sign-in", content=b"\xff").status_code == 422
    assert site.client.request("POST", "/sign-in", content=b"a=1&" * 50).status_code == 422
    assert site.client.request("POST", "/sign-in", content=b"x" * 9000).status_code == 413

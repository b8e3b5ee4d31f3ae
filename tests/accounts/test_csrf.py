"""Which requests another site's page could have made: the cases that Datasette and Go's net/http test, and more."""

from __future__ import annotations

import pytest

from app.accounts.csrf import refusal

HOST = "bench.example"
SELF = f"https://{HOST}"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_may_come_from_anywhere(method: str) -> None:
    assert (
        refusal(method, "https", {"host": HOST, "sec-fetch-site": "cross-site", "origin": "https://evil.test"}) is None
    )


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": ""}, False),
        ({"sec-fetch-site": "SAME-ORIGIN"}, False),
        ({"sec-fetch-site": "same-origin", "origin": "https://evil.test"}, True),  # the browser's word is enough
        ({"sec-fetch-site": "cross-site", "origin": SELF}, False),
        ({}, True),  # no browser
        ({"cookie": "benchcard=x"}, True),  # a script with a cookie that it was given
        ({"origin": SELF}, True),
        ({"origin": f"{SELF}:443"}, True),
        ({"origin": f"{SELF}:8443"}, False),
        ({"origin": f"http://{HOST}"}, False),
        ({"origin": "https://evil.test"}, False),
        ({"origin": f"https://{HOST}.evil.test"}, False),
        ({"origin": f"https://evil.test/{HOST}"}, False),
        ({"origin": f"https://evil@{HOST}.test"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"origin": "https://"}, False),
        ({"origin": f"{SELF}/path"}, False),
        ({"origin": "https://bench.example:99999"}, False),
        ({"origin": "https://[::1"}, False),
        ({"referer": "https://evil.test/"}, True),  # a referer proves nothing and is not asked
        ({"authorization": "Bearer x", "origin": "https://evil.test"}, True),
        ({"authorization": "bearer x", "sec-fetch-site": "cross-site"}, True),
        ({"authorization": "Bearer x", "cookie": "a=b", "sec-fetch-site": "cross-site"}, False),
        ({"authorization": "Bearer x", "cookie": "a=b", "origin": "https://evil.test"}, False),
        ({"authorization": "Basic x", "sec-fetch-site": "cross-site"}, False),
        ({"authorization": "Bearerx", "sec-fetch-site": "cross-site"}, False),
    ],
)
def test_writing_from_another_site_is_refused(method: str, headers: dict[str, str], passes: bool) -> None:
    assert (refusal(method, "https", {"host": HOST, **headers}) is None) == passes


@pytest.mark.parametrize(
    ("scheme", "host", "origin", "passes"),
    [
        ("http", "127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("http", "127.0.0.1:8000", "http://127.0.0.1", False),
        ("http", "127.0.0.1:8000", "http://localhost:8000", False),
        ("http", "bench.example", "http://bench.example:80", True),
        ("http", "[::1]:8000", "http://[::1]:8000", True),
        ("http", "BENCH.example", "http://bench.example", True),
        ("http", "", "http://bench.example", False),
        ("http", "", "", False),
    ],
)
def test_an_origin_is_scheme_host_and_port(scheme: str, host: str, origin: str, passes: bool) -> None:
    assert (refusal("POST", scheme, {"host": host, "origin": origin}) is None) == passes


def test_a_refusal_says_which_header_gave_it_away() -> None:
    assert "Sec-Fetch-Site: cross-site" in str(refusal("POST", "https", {"sec-fetch-site": "cross-site"}))
    assert "Origin: https://evil.test" in str(refusal("POST", "https", {"host": HOST, "origin": "https://evil.test"}))

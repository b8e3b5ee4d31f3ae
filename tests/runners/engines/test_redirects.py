"""Counters are read from the server that is measured, and from no other."""

from __future__ import annotations

import httpx
import pytest

from runners.engines.control import ControlError, scrape

METRICS = "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total 4\n"


def through(target: str) -> tuple[httpx.Client, list[str]]:
    """A server whose /metrics lies elsewhere, and what is asked of it and of others."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if request.url.path == "/metrics" and request.url.host == "here.test":
            return httpx.Response(307, headers={"Location": target})
        return httpx.Response(200, text=METRICS)

    return httpx.Client(base_url="http://here.test:8000", transport=httpx.MockTransport(answer)), asked


def test_a_redirect_on_the_same_server_is_followed_once() -> None:
    http, asked = through("/metrics/")
    assert scrape(http).value("generated_tokens") == 4
    assert asked == ["http://here.test:8000/metrics", "http://here.test:8000/metrics/"]


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest", "http://here.test:8001/metrics", "https://here.test:8000/metrics", "/metrics"],
)
def test_a_redirect_to_another_server_is_not_followed(target: str) -> None:
    http, asked = through(target)
    with pytest.raises(ControlError, match="status 307"):
        scrape(http)
    assert {httpx.URL(url).netloc for url in asked} == {b"here.test:8000"}

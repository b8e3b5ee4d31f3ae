"""What is the best above N tok/s for each user? Asked of the sweep that ships, on its page and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client

URL = "/measurements/mn3mn2cwp"
API = f"/api/v1{URL}/best"


def test_the_answer_is_a_measured_load_with_its_repeats_and_spread(site: Client) -> None:
    words = read(site.get(f"{URL}?above=200").text).words()
    best = site.get(f"{API}?above=200").json()["best"]
    assert best["load"] == "concurrency 64, tokens counted at the end"
    assert best["interactivity"] > 200
    low, high = best["total_range"]
    assert low <= best["total"] <= high
    assert f"{best['total']:,.1f} tok/s/GPU, median; runs from {low:,.1f} to {high:,.1f}" in words
    assert "the best of 4 measured points above 200 tok/s/user" in words
    assert f"{best['total']:,.1f} tok/s/GPU at {best['interactivity']:.1f} tok/s/user (" in words, "the same digits"
    assert "3 runs" in words


def test_the_question_says_what_is_the_most_and_per_what(site: Client) -> None:
    label = read(site.get(URL).text).one("label", **{"for": "above"}).words()
    assert label == "Most total tok/s per GPU (input + output) while 9 of 10 requests run faster than"


def test_failed_requests_and_another_way_to_count_are_told_of_the_load_that_wins(site: Client) -> None:
    words = read(site.get(f"{URL}?above=200").text).words()
    best = site.get(f"{API}?above=200").json()["best"]
    assert (best["failed"], best["requests"], best["counted_at_end"]) == (1, 576, True)
    assert "1 of its 576 requests failed; what they gave is in no throughput." in words
    assert "Its tokens were counted at the end of each request, not with each event." in words
    beside = read(site.get("/measurements/compare?ids=mn3mn2cwp&ids=mdwdcxnq8&above=200").text).words()
    assert "mn3mn2cwp: 1 of its 576 requests failed" in beside
    other = site.get(f"{API}?above=240").json()["best"]
    assert (other["failed"], other["counted_at_end"]) == (0, False)
    alone = read(site.get(f"{URL}?above=240").text).words()
    assert "requests failed; what they gave" not in alone
    assert "Its tokens were counted at the end" not in alone


def test_a_limit_of_many_digits_stays_as_it_was_typed(site: Client) -> None:
    page = read(site.get(f"{URL}?above=1234567.25").text)
    assert "No measured point above 1,234,567.25 tok/s/user" in page.words()
    (link,) = (item.attributes["href"] for item in page.all("a") if "/best?" in str(item.attributes["href"]))
    assert site.get(str(link)).json()["above"] == 1234567.25


def test_the_answer_steps_from_load_to_load_and_never_lies_between(site: Client) -> None:
    sets = site.get(f"/api/v1{URL}").json()["numbers"]["sets"]
    measured = {item["load"]: item["per_gpu"]["total_tok_s"] for item in sets}
    for above in ("50", "141.5", "144.9", "238.2", "300", "400"):
        best = site.get(f"{API}?above={above}").json()["best"]
        assert best["total"] == pytest.approx(measured[best["load"]])
        assert best["interactivity"] > float(above)


def test_where_no_load_reaches_it_the_page_says_so_and_names_who_was_left_out(site: Client) -> None:
    words = read(site.get(f"{URL}?above=450").text).words()
    assert "No measured point above 450 tok/s/user: the fastest has 401.8" in words
    assert "Left out: concurrency 1: not enough requests for P90 (8)" in words
    answer = site.get(f"{API}?above=450").json()
    assert answer["best"] is None
    assert answer["left_out"] == ["concurrency 1: not enough requests for P90 (8)"]


def test_a_load_whose_slowest_run_is_not_above_is_told(site: Client) -> None:
    words = read(site.get(f"{URL}?above=400").text).words()
    assert "In its slowest run it is not above 400 tok/s/user: 370.9" in words


@pytest.mark.parametrize("typed", ["fast", "-5", "0", "1e3", "1,000", "1.000", "nan", "9" * 30])
def test_what_is_no_speed_is_told_and_stays_in_the_field(site: Client, typed: str) -> None:
    answer = site.get(URL, params={"above": typed})
    assert answer.status_code == 422
    page = read(answer.text)
    assert "a number above 0 in tok/s is expected" in page.one(id="above-why").words()
    assert page.one("input", id="above").attributes["value"] == typed
    assert "concurrency 64" in page.words()


def test_the_form_keeps_the_run_that_is_shown(site: Client) -> None:
    main = read(site.get(f"{URL}?run=5&above=100").text).one("main")
    assert main.one("input", type="hidden").attributes["value"] == "5"
    assert not read(site.get(f"{URL}?above=100").text).one("main").all("input", type="hidden")


def test_the_api_refuses_a_limit_that_is_none(site: Client) -> None:
    for wrong in ("", "?above=fast", "?above=-1", "?above=inf"):
        assert site.get(f"{API}{wrong}").status_code == 422, wrong
    assert site.get("/api/v1/measurements/none/best?above=5").status_code == 404

"""The page of the measurement that ships: what ran, on what, when, what was published from it, and what its few
requests cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client
    from tests.web.markup import Element

URL = "/measurements/mn3mn2cwp"


@pytest.fixture(scope="module")
def page(site: Client) -> Element:
    return read(site.get(URL).text)


def test_the_title_names_the_weights_the_shape_and_the_gpu(page: Element) -> None:
    named = "vLLM 0.25.1 · random weights, Qwen3-0.6B's shape · 1× H200"
    assert named in page.one("h1").words()
    assert named in page.one("title").words()
    assert "random weights in its shape, vocabulary 129,280" in page.words()


def test_it_says_when_it_was_measured_and_leads_to_what_was_published_from_it(page: Element) -> None:
    words = page.words()
    assert "Measured 2026-11-30 10:40 UTC; recorded here" in words
    assert "27 claims in" in words
    assert page.all("a", href="/sources/benchcard-h200-2026-11")
    assert len([item for item in page.all("a") if "/claims/benchcard-mn3mn2cwp" in item.attributes["href"]]) == 27


def test_the_evidence_is_offered_before_the_numbers(page: Element) -> None:
    words = page.words()
    assert words.index("Evidence bundle (zip)") < words.index("Every load: the median")


def test_a_percentile_of_too_few_requests_is_none(page: Element) -> None:
    words = page.words()
    assert "not enough requests for P90 (8)" in words
    assert "not enough values (8)" in words


def test_what_became_of_a_failed_request_stands_beside_its_count(page: Element) -> None:
    failed = [item.words() for item in page.all("li") if item.words().startswith("Failed, run ")]
    assert failed
    assert all("1 of " in text and "the stream ended without a token" in text for text in failed)
    assert any("(of the first: the server's usage says 256 tokens)" in text for text in failed)


def test_every_run_is_folded_and_without_a_column_for_what_none_of_them_lacks(page: Element, site: Client) -> None:
    folded = page.one("section", id="runs").one("details")
    assert "open" not in folded.attributes
    assert "27 runs, each by itself; requests failed in 4 of them" in folded.words()
    assert "No result because" not in folded.words()
    assert "open" in read(site.get(f"{URL}?run=2").text).one("section", id="runs").one("details").attributes


def test_preemptions_and_cached_prompt_tokens_are_told_by_load_and_by_run(page: Element) -> None:
    assert [item.words() for item in page.all("th")].count("preemptions") == 2
    assert "prompt tokens from cache" in page.one("section", id="runs").words()


def test_time_that_the_servers_own_means_leave_out_is_told(page: Element) -> None:
    told = [item.words() for item in page.all("li") if "do not add up" in item.words()]
    assert len(told) == 2
    assert all("its core stamps TPOT" in text for text in told)


def test_a_clock_that_was_read_before_the_load_says_so(page: Element) -> None:
    assert "345 MHz and memory clock 3201 MHz, both read before the servers started" in page.words()


def test_the_list_says_what_ran_at_which_loads_how_fast_and_when(site: Client) -> None:
    page = read(site.get("/measurements").text)
    (line,) = [row.words() for row in page.all("tr") if row.all("a", href=URL)]
    for said in (
        "vLLM 0.25.1 · random weights, Qwen3-0.6B's shape · 1× H200", "concurrency 1, 16, 64, 128, 256",
        "533.1 to 15,825.7 tok/s/GPU", "2026-11-30",
    ):  # fmt: skip
        assert said in line


def test_measurements_stand_in_the_menu(page: Element) -> None:
    (link,) = page.one("nav").all("a", href="/measurements")
    assert link.attributes["aria-current"] == "page"


def test_a_claim_with_traces_is_verified_from_them_and_nobodys_repeat(site: Client) -> None:
    claim = "/claims/benchcard-mn3mn2cwp-a0-output-throughput"
    words = read(site.get(claim).text).words()
    assert "533.1 tok/s (verified from trace): output throughput" in words
    assert "unverified" not in words
    badge = site.get(f"{claim}/badge.svg").text
    assert "measured: verified from trace, random weights" in badge
    assert 'alt="Measured: verified from trace, random weights"' in words  # what is copied says what the picture says


def test_measuring_it_again_begins_with_the_plan_that_it_was_measured_by(site: Client) -> None:
    page = read(site.get("/claims/benchcard-mn3mn2cwp-a6-output-throughput/reproduce").text)
    words = page.words()
    assert "The plan is that of the measurement which gave this number" in words
    assert page.all("a", href="/measurements/mn3mn2cwp")
    for said in ("gpu-memory-utilization=0.4", "tokens counted at the end (384 requests)", "2026113010", "3 of each"):
        assert said in words
    assert "Assumed, or chosen" not in words
    other = read(site.get("/claims/benchcard-mn3mn2cwp-a6-output-throughput/reproduce?repeats=5").text).words()
    assert "Repeats: 5 was chosen; the source says 3" in other


def test_two_ways_to_count_are_two_commands_with_two_names(page: Element) -> None:
    words = page.words()
    assert "The same load, on a server of yours, tokens counted with each event" in words
    assert "The same load, on a server of yours, tokens counted at the end" in words


def test_a_line_says_where_client_and_server_part_also_where_a_request_failed(page: Element) -> None:
    words = page.words()
    assert "(+24.8 %), 2 of 3 runs" in words
    assert "by the 1 of 3 runs that have both" in words

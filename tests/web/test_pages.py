"""Every page of the shipped catalogue: as a page, as the part that htmx swaps in, and where it cannot be given."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import pytest

from app.catalogue.pairs import pairs
from app.claims.queries import DocumentPage
from app.claims.rows import Facet, FacetValue
from app.web.claim_table import results
from app.web.state import TableState
from tests.web.markup import Element, read

if TYPE_CHECKING:
    from app.catalogue.pairs import Pair
    from tests.conftest import Client

HTMX = {"HX-Request": "true"}
PAGES = [
    "/",
    "/?engine=vLLM&axis=ttft&sort=-value&col=source&col=date&ids=vllm-v41-5x",
    "/claims/vllm-v41-5x",
    "/claims/sglang-v41-step-16",
    "/sources",
    "/sources/sglang-deepseek-v41-flash-kernels",
    "/sources/vllm-2026-10-07-deepseek-v41-flash",
    "/cards",
    "/cards/schema",
    "/cards/new",
    "/cards/new?claim=sglang-v41-step-16",
    "/configurations?engine=SGLang&model=DeepSeek-V4.1-Flash",
    "/configurations",
    "/axes",
    "/axes/agreement",
    "/verdicts",
    "/changelog",
    "/compare",
    "/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16",
    "/compare?ids=sglang-v41-step-16,vllm-v41-5x,sglang-v41-step-01,sglang-v41-dspark-off",
    "/api/docs",
]


def page(site: Client, url: str, status: int = 200) -> Element:
    answer = site.get(url)
    assert answer.status_code == status
    return read(answer.text)


@pytest.mark.parametrize("url", PAGES)
def test_a_page_is_whole_and_every_caption_and_label_is_there(site: Client, url: str) -> None:
    answer = site.get(url)
    assert (answer.status_code, answer.headers["vary"]) == (200, "HX-Request, Cookie, Accept-Language, Accept-Encoding")
    root = read(answer.text)
    root.one("main", id="main")
    root.one("h1")
    assert root.one("title").text.endswith("· Benchcard")
    assert all(table.all("caption") for table in root.all("table"))
    assert all(cell.attributes.get("scope") for cell in root.all("th"))
    named = {label.attributes.get("for") for label in root.all("label")}
    wrapped = [field for label in root.all("label") for tag in ("input", "select") for field in label.all(tag)]
    fields = [*(field for field in root.all("input") if field.attributes.get("type") != "hidden"), *root.all("select")]
    assert all(
        field in wrapped or field.attributes.get("id") in named or "aria-label" in field.attributes for field in fields
    )
    ids = [element.attributes["id"] for element in root.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("url", PAGES)
def test_every_link_of_a_page_leads_somewhere(site: Client, url: str) -> None:
    root = page(site, url)
    here = url.partition("?")[0]
    anchors = {element.attributes["id"] for element in root.all() if "id" in element.attributes}
    links = dict.fromkeys(link.attributes["href"] for link in root.all("a"))
    for link in list(links)[:25]:
        target, _, anchor = link.partition("#")
        if link.startswith("#") or target == here:
            assert not anchor or anchor in anchors, link
        elif link.startswith("/"):
            assert site.get(target).status_code == 200, link


def test_the_headlines_stand_side_by_side_with_the_verdict_above_the_table(site: Client) -> None:
    band = page(site, "/").one("section", class_="headlines")
    words = band.words()
    for said in ("about 5x", "873.63 tok/s", "decode rate of one stream", "release day", "simulated acceptance"):
        assert said in words
    (mind,) = [line.words() for line in band.all("tr") if line.words().startswith("Mind")]
    for said in ("flawed baseline", "other workload", "more"):
        assert said in mind
    verdict = band.one("p", class_="verdict v-not_comparable")
    assert "cannot be ranked" in verdict.text
    assert verdict.one("a").attributes["href"] == "/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16"
    assert not page(site, "/?engine=vLLM").all("section", class_="headlines")


def test_a_row_reads_number_measure_against_conditions_mind_repeated(site: Client) -> None:
    table = page(site, "/?q=sglang-v41-step-16").one("table", class_="claims")
    assert [cell.words() for cell in table.one("thead").all("th")] == [
        "Choose", "Number", "What it measures", "Against", "Conditions", "Mind", "Repeated",
    ]  # fmt: skip
    (row,) = [row for row in table.one("tbody").all("tr") if "/claims/sglang-v41-step-16" in str(row)]
    cells = [cell.words() for cell in row.children]
    assert cells[1].startswith("873.63 tok/s")
    assert cells[6] == "870.57 by jinnpan.com, same script, not independent"


def test_htmx_gets_the_part_and_a_canonical_address(site: Client) -> None:
    answer = site.get("/?sort=rank&q=&engine=vLLM", headers=HTMX)
    assert answer.headers["hx-push-url"] == "/?engine=vLLM"
    assert "<html" not in answer.text
    part = read(answer.text)
    assert part.one("p", id="count").attributes["hx-swap-oob"] == "innerHTML"
    part.one("div", id="facets")
    part.one("table", class_="claims")


def test_a_page_restored_from_history_is_whole(site: Client) -> None:
    answer = site.get("/?engine=vLLM", headers={**HTMX, "HX-History-Restore-Request": "true"})
    assert "<html" in answer.text


def test_facets_say_what_choosing_gives_and_chips_take_it_off(site: Client) -> None:
    root = page(site, "/?engine=SGLang&engine=vLLM&kind=ratio")
    chosen = [box.attributes["id"] for box in root.one("div", id="facets").all("input", checked="")]
    assert chosen == ["engine:vLLM", "engine:SGLang", "kind:ratio"]
    chips = [link.attributes["href"] for link in root.one("ul", class_="chips").all("a")]
    assert chips == ["/?engine=vLLM&kind=ratio", "/?engine=SGLang&kind=ratio", "/?engine=SGLang&engine=vLLM", "/"]


def test_an_order_by_value_is_offered_within_one_axis_only_and_says_why(site: Client) -> None:
    root = page(site, "/")
    assert len(root.one("select", id="sort").all("option", disabled="")) == 2
    assert "within one axis" in root.one("span", id="sort-note").text
    root = page(site, "/?axis=decode_rate&sort=-value")
    assert not root.one("select", id="sort").all("option", disabled="")
    assert root.one("table", class_="claims").all("th", aria_sort="descending")


def test_the_same_list_comes_as_json_and_csv(site: Client) -> None:
    data = page(site, "/?engine=SGLang&q=moe&sort=newest&col=date").one("span", class_="data")
    links = [link.attributes["href"] for link in data.all("a")]
    assert links == [f"/api/v1/claims{end}?engine=SGLang&q=moe&sort=newest" for end in ("", ".csv")]


def test_pages_follow_one_another_through_the_whole_list(site: Client) -> None:
    url, seen = "/?engine=vLLM", []
    while url:
        root = page(site, url)
        seen += [box.attributes["value"] for box in root.one("table", class_="claims").all("input")]
        url = next((link.attributes["href"] for link in root.all("a", rel="next")), "")
    assert len(seen) == len(set(seen)) == int(root.one("p", id="count").text.split()[0].replace(",", ""))


def test_chosen_rows_stay_chosen_when_the_list_is_another(site: Client) -> None:
    root = page(site, "/?engine=SGLang&ids=vllm-v41-5x,sglang-v41-step-16")
    kept = [box.attributes["value"] for box in root.one("form", id="choose").all("input")]
    assert kept == ["vllm-v41-5x"]
    assert "checked" in root.one("input", id="pick-sglang-v41-step-16").attributes


def test_the_table_is_small_on_the_wire(site: Client) -> None:
    assert len(gzip.compress(site.get("/").content)) < 40 * 1024


def test_a_claim_shows_what_is_not_stated_and_how_to_cite_it(site: Client) -> None:
    words = page(site, "/claims/vllm-v41-5x").one("main").words()
    for said in ("unverified", "not stated", "Often read as", "number of GPUs", "cached tokens counted", "R1"):
        assert said in words


@pytest.mark.parametrize(
    ("page_url", "api_url"),
    [
        ("/claims/vllm-v41-5x", "/api/v1/claims/vllm-v41-5x/citation"),
        (
            "/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16",
            "/api/v1/compare/citation?a=vllm-v41-5x&b=sglang-v41-step-16",
        ),
    ],
)
def test_page_and_api_give_the_same_quotation_in_three_forms(site: Client, page_url: str, api_url: str) -> None:
    found = site.get(api_url).json()
    root = page(site, page_url)
    assert {name: root.one("textarea", id=f"quote-{name}", readonly="").text for name in found} == found
    for said in ("about 5x", "unverified", "Against: ", "Mind: ", "http://bench.test/claims/vllm-v41-5x"):
        assert said in found["text"]
    named = {label.attributes["for"] for label in root.all("label")}
    assert {f"quote-{name}" for name in found} <= named


def test_the_ladder_stands_as_a_chart_and_as_a_table_with_its_break(site: Client) -> None:
    ladder = page(site, "/sources/sglang-deepseek-v41-flash-kernels").one("section", id="ladder")
    figure = json.loads(ladder.one("script", type="application/json").text)
    assert sum(len(trace["x"]) for trace in figure["data"]) == 16
    assert "Do not divide" in ladder.one("tr", class_="break").text
    rows = [[cell.words() for cell in row.children] for row in ladder.one("tbody").all("tr")]
    assert [row[4] for row in rows if row[0] in ("2", "11", "12")] == ["3.35x", "", "1.29x"]


def test_kernel_factors_stand_apart_from_what_the_server_gained(site: Client) -> None:
    table = page(site, "/sources/vllm-2026-10-07-deepseek-v41-flash").one("section", id="kernels")
    headings = [cell.text for cell in table.one("thead").all("th")]
    unclear = "Phase, scope not spelled out"  # the post does not say what its prefill factors cover
    assert headings == ["Change", "Per kernel or path", "Per layer", "Forward pass", unclear, "End to end"]
    (row,) = [row for row in table.one("tbody").all("tr") if "Sparse MQA" in row.text]
    cells = [cell.words() for cell in row.children]
    assert "14\N{EN DASH}23x 512K" in cells[2]
    assert "1.43x" in cells[4]
    assert "+3 to +6 %" in cells[5]


@pytest.mark.parametrize("part", ["ladder", "dspark-off-on"])
def test_data_of_a_chart_come_as_csv_headed_by_source_and_caveats(site: Client, part: str) -> None:
    answer = site.get(f"/sources/sglang-deepseek-v41-flash-kernels/{part}.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    comments = [line for line in answer.text.splitlines() if line.startswith("#")]
    assert "sglang.io" in comments[-1]
    assert "873.63" in answer.text
    assert part != "ladder" or "break: " in answer.text


@pytest.mark.parametrize("pair", pairs(), ids=[f"{pair.a}+{pair.b}" for pair in pairs()])
def test_page_and_api_say_the_same_of_a_pair(site: Client, pair: Pair) -> None:
    ids = [("a", pair.a), ("b", pair.b)]
    found = site.get("/api/v1/compare", params=ids).json()
    root = read(site.get("/compare", params=[("ids", claim) for _, claim in ids]).text)
    verdict = root.one("p", class_=f"verdict v-{found['verdict']}")
    assert " ".join(found["summary"].split()) in verdict.words()
    main = root.one("main").words()
    assert found["ratio"] is None or (found["ratio"]["text"] in main and found["ratio"]["conditions"] in main)


def test_a_claim_with_itself_and_the_other_spellings_of_ids_work(site: Client) -> None:
    for query in ("a=vllm-v41-5x&b=vllm-v41-5x", "ids=vllm-v41-5x&ids=vllm-v41-5x", "ids=vllm-v41-5x,vllm-v41-5x"):
        assert "about 5x and about 5x" in page(site, f"/compare?{query}").one("main").words()
    same = [
        page(site, f"/compare?{query}").one("main").words()
        for query in ("ids=vllm-v41-5x,vllm-v41-1.9x", "a=vllm-v41-5x&b=vllm-v41-1.9x")
    ]
    assert same[0] == same[1]


def test_a_pair_that_is_often_set_side_by_side_says_what_to_know_and_what_to_mind(site: Client) -> None:
    pair = pairs()[0]
    main = page(site, f"/compare?ids={pair.b}&ids={pair.a}").one("main")
    assert pair.why in main.words()
    assert "should know" not in page(site, "/compare?ids=vllm-v41-5x&ids=vllm-v41-5.3x").one("main").words()
    (caveats,) = [part for part in main.all("details") if part.words().startswith("Caveats (")]
    assert len(caveats.all("section")) == 2


def test_a_claims_source_is_read_right_after_its_headline_and_its_citation_last(site: Client) -> None:
    words = read(site.get("/claims/sglang-v41-step-16").text).one("main").words()
    places = [words.index(heading) for heading in ("To repeat it here", "Publisher", "Caveats", "To cite it")]
    assert places == sorted(places)


def test_that_nobody_repeated_a_number_has_one_wording(site: Client) -> None:
    words = read(site.get("/claims/benchcard-mn3mn2cwp-a0-ttft").text).one("main").words()
    assert words.count("never tried") >= 2
    assert "not yet" not in words


@pytest.mark.parametrize(
    ("claim", "heading"),
    [
        ("vllm-v41-5x", "Contradicted within the source"),
        ("contested-llama31-8b-h100-engine-gap-aimultiple", "Contradicted between sources"),
    ],
)
def test_a_contradiction_is_told_once_under_the_heading_that_fits(site: Client, claim: str, heading: str) -> None:
    record = site.get(f"/api/v1/claims/{claim}").json()
    main = page(site, f"/claims/{claim}").one("main")
    (told,) = [part for part in main.all("section") if part.words().startswith(heading)]
    assert all(item["text"] in told.words() for item in record["contradictions"])
    dropped = [item["text"] for item in record["caveats"] if item["kind"] == "contradicted"]
    assert not [text for text in dropped if text in main.words()]


def test_caveats_without_a_badge_are_counted_at_the_head_of_a_claims_page(site: Client) -> None:
    counted = page(site, "/claims/vllm-v41-5x").one("dl", class_="facts lead").one("a", href="#caveats")
    assert counted.words().endswith("more below")


def test_more_than_two_claims_get_a_verdict_for_each_pair(site: Client) -> None:
    root = page(site, "/compare?ids=vllm-v41-5x,sglang-v41-step-16,sglang-v41-step-15")
    assert len(root.all("section", class_="pair")) == 3
    links = [parse_qsl(link.attributes["href"].partition("?")[2]) for link in root.one("main").all("h2")[0].all("a")]
    assert links == [[("ids", "vllm-v41-5x"), ("ids", "sglang-v41-step-16")]]


def test_every_source_of_the_catalogue_is_a_box_of_the_source_facet(site: Client) -> None:
    facet = page(site, "/").one("details", id="facet-source")
    shown = {box.attributes["value"] for box in facet.all("input")}
    assert shown == {item["id"] for item in site.get("/api/v1/sources?limit=500").json()["items"]}


def test_values_that_are_not_listed_are_counted_with_how_to_reach_them() -> None:
    values = tuple(FacetValue(f"m{number}", f"m{number}", 1, False) for number in range(1200))
    part = results(TableState(), DocumentPage((), 0, None, (Facet("model", "Model", values),)), [], [], ())
    assert part.facets[0].left_out.startswith("1,100 more are not listed.")
    assert "&model=" in part.facets[0].left_out


def test_a_number_of_our_own_leads_to_its_traces_from_its_claim_and_its_source(site: Client) -> None:
    for url in ("/claims/benchcard-mn3mn2cwp-a0-ttft", "/sources/benchcard-h200-2026-11"):
        links = {link.attributes.get("href"): link.text for link in page(site, url).all("a")}
        assert links["/measurements/mn3mn2cwp"] == "kept in measurement mn3mn2cwp"


@pytest.mark.parametrize("claim", ["benchcard-mn3mn2cwp-a7-tpot", "vllm-v41-5x", "sglang-v41-step-16"])
def test_every_claims_button_leads_to_what_would_run_for_it(site: Client, claim: str) -> None:
    links = {link.attributes.get("href") for link in page(site, f"/claims/{claim}").all("a")}
    assert f"/claims/{claim}/reproduce" in links
    page(site, f"/claims/{claim}/reproduce")


def test_claims_to_compare_are_found_by_search_and_ticked(site: Client) -> None:
    main = page(site, "/compare?q=873.63 sglang&ids=vllm-v41-5x").one("main")
    boxes = {box.attributes["value"]: "checked" in box.attributes for box in main.all("input", name="ids")}
    assert boxes["vllm-v41-5x"]
    assert boxes["sglang-v41-step-16"] is False
    assert main.one("input", id="q").attributes["value"] == "873.63 sglang"
    assert "No claim has every word" in page(site, "/compare?q=873.63 nowhere").one("main").words()
    assert "at most 200 characters" in page(site, f"/compare?q={'x' * 201}", 422).one("main").words()


def test_a_comparison_has_a_badge_with_its_verdict(site: Client) -> None:
    url = "/compare/badge.svg?ids=vllm-v41-5x&ids=sglang-v41-step-16"
    main = page(site, "/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16").one("main")
    assert [picture.attributes["src"] for picture in main.all("img")] == [url]
    drawn = site.get(url)
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/svg+xml; charset=utf-8")
    assert "compared: not comparable" in drawn.text
    assert site.get("/compare/badge.svg?ids=vllm-v41-5x").status_code == 422
    assert site.get("/compare/badge.svg?ids=vllm-v41-5x&ids=nothing").status_code == 404


def test_the_api_is_described_in_json_and_not_in_code(site: Client) -> None:
    said = page(site, "/api/docs").one("main").words()
    assert "`" not in said
    assert "None" not in said.split()


def test_the_table_and_the_comparison_are_one_key_away(site: Client) -> None:
    root = page(site, "/")
    skips = [link.attributes["href"] for link in root.all("a", class_="skip")]
    assert skips == ["#main", "#results", "#choose"]
    for place in skips[1:]:
        assert [found.attributes["tabindex"] for found in root.all() if found.attributes.get("id") == place[1:]] == [
            "-1"
        ]

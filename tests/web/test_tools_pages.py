"""The tools' pages: an address is the whole question; bad input comes back with how to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.tools import capacity, speculation, workload_fields
from app.tools.presets import SPECULATION
from tests.tools.factories import AGENTX, LOGGED
from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client
    from tests.web.markup import Element

TOOLS = {"workload": workload_fields.FIELDS, "capacity": capacity.FIELDS, "speculation": speculation.FIELDS}
WHOLE = {
    "workload": AGENTX,
    "capacity": LOGGED,
    "speculation": {"counted": "sglang", "rate": "853.49", "acceptance": "5.520", "off_rate": "223.50", "at": "3.17"},
}


def page(site: Client, tool: str, given: dict[str, str] | None = None, status: int = 200) -> Element:
    answer = site.get(f"/tools/{tool}", params=given or {})
    assert answer.status_code == status
    return read(answer.text)


def typed(root: Element) -> dict[str, str]:
    """What the form holds."""
    form = root.one("form", class_="card-form")
    found = {item.attributes["name"]: item.attributes["value"] for item in form.all("input")}
    for select in form.all("select"):
        chosen = [item.attributes["value"] for item in select.all("option") if "selected" in item.attributes]
        found[select.attributes["name"]] = chosen[0] if chosen else ""
    return found


def verdict(root: Element) -> str:
    return root.one("p", class_="verdict tool-verdict").words()


@pytest.mark.parametrize("tool", TOOLS)
def test_an_empty_form_teaches_with_an_example_that_says_it_is_one(site: Client, tool: str) -> None:
    root = page(site, tool)
    assert root.one("p", class_="example-note").words().startswith("Example")
    assert not any(typed(root).values())
    used = site.get(root.one("p", class_="example-note").all("a")[-1].attributes["href"])
    assert verdict(read(used.text)) == verdict(root)
    assert not read(used.text).all("p", class_="example-note")


@pytest.mark.parametrize("tool", TOOLS)
def test_the_address_holds_the_whole_question_and_the_api_answers_the_same(site: Client, tool: str) -> None:
    root = page(site, tool, WHOLE[tool])
    assert {name: text for name, text in typed(root).items() if text} == WHOLE[tool]
    links = {link.words(): link.attributes["href"] for link in root.all("a")}
    assert verdict(read(site.get(links["Link to this answer"]).text)) == verdict(root)
    answer = site.get(links["JSON"]).json()
    assert answer["verdict"] == verdict(root)
    assert [item["formula"] for item in answer["figures"]] == [
        row.all("td")[1].words() for row in root.one("table", class_="list stack sums").one("tbody").all("tr")
    ]
    assert answer["card"] == links["Record a card with these conditions"]


@pytest.mark.parametrize("tool", TOOLS)
def test_the_card_begins_with_the_conditions(site: Client, tool: str) -> None:
    root = page(site, tool, WHOLE[tool])
    (link,) = [item for item in root.all("a") if item.words() == "Record a card with these conditions"]
    form = read(site.get(link.attributes["href"]).text)
    held = {item.attributes.get("name"): item.attributes.get("value") for item in form.all("input")}
    expected = {
        "workload": {
            "workload.input_tokens": "142000",
            "workload.prefix_cache": "hit rate 96 %",
            "workload.turns": "43",
        },
        "capacity": {"hardware.count": "1", "parallelism": "TP1", "workload.input_tokens": "8192"},
        "speculation": {"speculation.accept_length": "5.520", "result.value": "853.49", "result.unit": "tok/s"},
    }
    assert expected[tool].items() <= held.items()


@pytest.mark.parametrize("tool", TOOLS)
def test_what_cannot_be_taken_comes_back_with_a_link_to_its_field(site: Client, tool: str) -> None:
    name = {"workload": "input_tokens", "capacity": "memory", "speculation": "rate"}[tool]
    given = {**WHOLE[tool], name: "80<K"}
    root = page(site, tool, given, status=422)
    assert {item: text for item, text in typed(root).items() if text} == given
    assert root.one("section", class_="trouble").one("a").attributes["href"] == f"#t-{name}"
    field = root.one("input", id=f"t-{name}")
    assert field.attributes["aria-invalid"] == "true"
    assert root.one("p", id=f"e-{name}").words()
    assert f"e-{name}" in field.attributes["aria-describedby"]
    assert root.one("title").text.startswith("Error: ")


def test_a_form_that_is_half_filled_says_what_is_needed_and_blames_nothing(site: Client) -> None:
    root = page(site, "workload", {"input_tokens": "4096"})
    assert root.one("p", class_="empty").words() == "Still needed: Output tokens."
    assert not root.all("section", class_="trouble")
    root = page(site, "capacity", {"kv": "mla", "memory": "80"}, status=422)
    assert "Latent width" in root.one("p", class_="empty").words()
    assert [item.attributes["href"] for item in root.one("section", class_="trouble").all("a")] == ["#t-memory"]
    root = page(site, "speculation", {"counted": "vllm", "rate": "100"})
    assert root.one("p", class_="empty").words() == "Still needed: two of rate, acceptance length and step time."


def test_a_choice_that_is_none_stays_in_the_form(site: Client) -> None:
    root = page(site, "capacity", {**LOGGED, "engine": "trt"}, status=422)
    assert typed(root)["engine"] == "trt"
    assert root.one("select", id="t-engine").attributes["aria-invalid"] == "true"


def test_a_preset_keeps_what_else_is_typed(site: Client) -> None:
    root = page(site, "capacity", {"memory": "141 GB", "layers": "12"})
    (link,) = [item for item in root.all("a") if item.words() == "DeepSeek-V4.1-Flash: 890 bytes"]
    held = typed(read(site.get(link.attributes["href"]).text))
    assert (held["memory"], held["kv"], held["bytes_per_token"], held["layers"]) == ("141 GB", "entered", "890", "")


def test_the_shipped_presets_of_models_are_offered(site: Client) -> None:
    texts = [item.words() for item in page(site, "capacity").one("details", class_="presets").all("a")]
    assert {"Llama-3.1-8B", "Qwen3-30B-A3B-Instruct-2507"} <= {*texts}


def test_agentx_finds_the_claims_of_agentx_by_deciding_axis_and_counts_the_rest(site: Client) -> None:
    root = page(site, "workload", AGENTX)
    groups = root.one("table", class_="list stack nearby").all("tbody")
    assert [group.all("tr")[0].words() for group in groups] == [
        "Decides for you: throughput per GPU at an interactivity limit"
    ]
    first = groups[0].all("tr")[1]
    assert first.one("th").one("a").attributes["href"] == "/claims/vllm-agentx-dsv4pro-83k"
    assert [cell.words() for cell in first.all("td")][1:5] == [
        "median 142000as yours",
        "median 444as yours",
        "hit rate above 96 %above yours",
        "median 43as yours",
    ]
    unmeasured = "No claim near your shape measured prefill throughput per GPU, TPOT, KV cache capacity and TTFT."
    assert unmeasured in [item.words() for item in root.all("strong")]
    heaps = root.one("ul", class_="heaps").words()
    assert "state no workload. Nothing is guessed for them." in heaps
    assert "AgentX (" in heaps


def test_a_near_claim_says_what_to_mind_of_it(site: Client) -> None:
    root = page(site, "workload", {"input_tokens": "4096", "output_tokens": "1024", "prefix_hit_rate": "0"})
    rows = root.one("table", class_="list stack nearby").all("tr")
    (row,) = [item for item in rows if item.all("a", href="/claims/sglang-v41-step-16")]
    assert "simulated acceptance" in row.one("td", class_="mind").words()


def test_many_near_claims_are_listed_and_the_rest_counted(site: Client) -> None:
    root = page(site, "workload", {"input_tokens": "4096", "output_tokens": "1024", "prefix_hit_rate": "0"})
    more = root.one("details", class_="unknown")
    assert len(more.all("li")) == 60
    assert "more near it, 60 of them listed" in more.one("summary").words()


def test_a_workload_leads_on_to_how_many_of_its_contexts_fit(site: Client) -> None:
    root = page(site, "workload", AGENTX)
    (onward,) = [item for item in root.all("a") if item.words() == "How many such contexts fit on a GPU"]
    assert typed(read(site.get(onward.attributes["href"]).text))["context"] == "142444"
    written = page(site, "workload", {**AGENTX, "output_tokens": "444.0"})
    assert [item.attributes["href"] for item in written.all("a") if item.words() == onward.words()] == [
        onward.attributes["href"]
    ]


def test_a_link_that_is_sent_on_previews_as_the_verdict(site: Client) -> None:
    root = page(site, "capacity", LOGGED)
    assert root.one("meta", name="description").attributes["content"] == verdict(root)


def test_a_claim_fills_the_form_and_warns_of_its_acceptance(site: Client) -> None:
    root = page(site, "speculation", {"claim": "sglang-v41-step-15", "at": "3.17"})
    held = typed(root)
    assert (held["rate"], held["acceptance"], held["off_rate"]) == ("853.49", "5.520", "223.50")
    assert held["claim"] == "sglang-v41-step-15"
    assert "The acceptance was simulated" in root.one("ul", class_="mind-these").words()
    assert "sglang-v41-dspark-off" in root.one("p", class_="origin").words()
    changed = page(site, "speculation", {"claim": "sglang-v41-step-15", "rate": "400"})
    assert typed(changed)["rate"] == "400"


def test_a_claim_that_states_no_stream_says_so_and_shows_the_example(site: Client) -> None:
    root = page(site, "speculation", {"claim": "vllm-v41-5x"})
    assert "Nothing could be taken from it" in root.one("p", class_="origin").words()
    assert root.one("p", class_="example-note")


def test_a_claim_that_is_not_there_is_told_and_what_was_typed_stays(site: Client) -> None:
    root = page(site, "speculation", {"claim": "sglang-v41-step-99", "rate": "400"}, status=404)
    assert "did you mean" in root.one("section", class_="trouble").words()
    assert typed(root)["rate"] == "400"


@pytest.mark.parametrize("preset", SPECULATION, ids=lambda preset: preset.claim)
def test_every_preset_of_speculation_leads_to_an_answer(site: Client, preset: object) -> None:
    claim, values = preset.claim, preset.values  # type: ignore[attr-defined]
    assert verdict(page(site, "speculation", {"claim": claim, **values}))


def test_htmx_gets_the_answer_alone_with_every_fields_error_and_the_bare_address(site: Client) -> None:
    given = {**AGENTX, "turns": "", "concurrency": "none"}
    answer = site.get("/tools/workload", params=given, headers={"HX-Request": "true"})
    root = read(answer.text)
    assert answer.status_code == 422
    assert not root.all("form")
    slots = {item.attributes["id"]: item.words() for item in root.all("p", hx_swap_oob="true")}
    assert slots.keys() == {f"e-{field.name}" for field in workload_fields.FIELDS}
    assert [name for name, text in slots.items() if text] == ["e-concurrency"]
    assert "turns" not in answer.headers["HX-Replace-Url"]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "x" * 100, "٤٢", "1e400", "-1", "\N{SNOWMAN}"])
@pytest.mark.parametrize("tool", TOOLS)
def test_no_value_fails_the_server(site: Client, tool: str, text: str) -> None:
    answer = site.get(f"/tools/{tool}", params={field.name: text for field in TOOLS[tool]})
    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    read(answer.text)


def test_the_list_of_tools_shows_what_each_finds(site: Client) -> None:
    root = read(site.get("/tools").text)
    assert [item.one("h2").one("a").attributes["href"] for item in root.one("ul", class_="tool-list").all("li")] == [
        f"/tools/{tool}" for tool in TOOLS
    ]
    assert len(root.all("span", class_="example")) == 3
    assert root.one("nav", aria_label="Main").one("a", aria_current="page").words() == "Tools"


def test_an_address_may_fill_the_form_of_a_card(site: Client) -> None:
    root = read(site.get("/cards/new?workload.input_tokens=4096&parallelism=TP4&launch.argv='open").text)
    held = {item.attributes.get("name"): item.attributes.get("value") for item in root.all("input")}
    assert (held["workload.input_tokens"], held["parallelism"]) == ("4096", "TP4")
    assert any("launch.argv" in item.words() for item in root.all("p", class_="cite"))


def test_a_claim_of_a_stream_leads_to_its_speculation(site: Client) -> None:
    links = [item.attributes["href"] for item in read(site.get("/claims/sglang-v41-step-15").text).all("a")]
    assert "/tools/speculation?claim=sglang-v41-step-15" in links
    links = [item.attributes["href"] for item in read(site.get("/claims/vllm-v41-5x").text).all("a")]
    assert not [link for link in links if link.startswith("/tools/")]

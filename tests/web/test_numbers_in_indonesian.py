"""Every kind of page in Indonesian, over the shipped catalogue: its numbers have the marks of that language."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from app.main import create_app, prepare
from app.settings import Settings
from tests.cards.factories import sound
from tests.conftest import Client, StillClock
from tests.importers.factories import FIXTURES
from tests.site import Site
from tests.web.markup import VOID
from tests.web.test_card_pages import cookie

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WISH = {"Accept-Language": "id"}
# What is quoted, typed or a name keeps its own marks.
QUOTED = {"code", "pre", "script", "style", "textarea", "option", "title", "svg", "samp", "kbd"}
# A decimal point (three digits behind it are thousands here), or commas between groups of thousands. Versions, dates,
# addresses and the time of the day are none.
ENGLISH = re.compile(
    r"(?<![\w.,:/#@-])(?:\d+(?:,\d{3})*\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{1,3}(?:,\d{3}){2,})(?![\w.]|-\w|,\d| UTC)"
)
NAMES = re.compile(
    r"\b(?:RO-Crate|Report|Granite|Qwen|Llama|Kimi|MiniMax|GLM|Gemma|DeepSeek|Inference)[ -]?[vV]?[\d., ataudn]+"
)


class Said(HTMLParser):
    """The texts of a page that are said by Benchcard: none that is code, typed or marked as English."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[bool] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag in QUOTED or ("lang", "en") in attrs)

    def handle_endtag(self, _tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self.open) and data.strip():
            self.texts.append(" ".join(data.split()))


def leaves(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict | list):
        for inner in tree.values() if isinstance(tree, dict) else tree:
            yield from leaves(inner)
    elif isinstance(tree, str):
        yield " ".join(tree.split()).removesuffix(".")


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    """What the sources say in words, which a page quotes as it is."""
    files = Settings().catalogue.rglob("*.yaml")
    texts = {text for file in files for text in leaves(yaml.load(file.read_text(), yaml.CSafeLoader))}
    return sorted(
        (text for text in texts if ENGLISH.search(text) and re.search("[A-Za-z%]", text)), key=len, reverse=True
    )


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("indonesian")
    settings, clock = Settings(data=folder), StillClock()
    prepare(settings, clock)
    app = create_app(settings, clock)
    yield Site(Client(app), app.state.database, clock, folder)
    app.state.database.close()


def english_numbers(site: Site, address: str, sentences: list[str], **headers: str) -> list[str]:
    answer = site.get(address, headers=WISH | headers)
    assert answer.status_code in (200, 404, 422), address
    said = Said()
    said.feed(answer.text)
    found = []
    for text in said.texts:
        left = text
        for sentence in sentences if ENGLISH.search(text) else ():
            left = left.replace(sentence, "").replace(sentence[:1].upper() + sentence[1:], "")
        left = re.sub("“[^”]*”", "", NAMES.sub("", left))
        if ENGLISH.search(left):
            found.append(f"{address}: {text[:200]}")
    return found


def told(found: Iterable[str]) -> None:
    """Fail with every line of what was found."""
    lines = [*found]
    assert not lines, "\n".join(["numbers with English marks:", *lines])


KINDS = {
    "the table": ["/", "/?engine=vLLM&axis=ttft&sort=-value&col=source&col=evidence", "/?sort=best"],
    "tools": [
        "/tools",
        "/tools/workload?input_tokens=4096&output_tokens=1024&prefix_hit_rate=0",
        "/tools/capacity?memory=80&engine=vllm&kv=mla",
        "/tools/speculation?claim=sglang-v41-step-15&at=3.17",
    ],
    "comparisons": [
        "/compare",
        "/compare?q=873+sglang",
        "/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16",
        "/compare?ids=sglang-v41-dspark-off,sglang-v41-step-15,sglang-v41-step-16",
        "/measurements/compare?ids=mkgv53z0y&ids=mn3mn2cwp&above=20",
    ],
    "lists": ["/sources", "/configurations", "/measurements", "/jobs", "/runners", "/changelog", "/verdicts", "/cards"],
    "explanations": ["/about", "/glossary", "/axes", "/axes/agreement", "/cards/schema", "/import", "/cards/new"],
    "begun cards": ["/cards/new?claim=sglang-v41-step-16"],
    "a configuration": ["/configurations?engine=SGLang&model=DeepSeek-V4.1-Flash"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_a_kind_of_page_are_indonesian(own: Site, sentences: list[str], kind: str) -> None:
    told(line for address in KINDS[kind] for line in english_numbers(own, address, sentences))


@pytest.mark.parametrize("kind", ["claims", "sources", "measurements"])
def test_numbers_of_every_record_are_indonesian(own: Site, sentences: list[str], kind: str) -> None:
    ids = [item["id"] for item in own.get(f"/api/v1/{kind}?limit=500").json()["items"]]
    step = 4 if kind == "claims" else 1
    told(line for name in ids[::step] for line in english_numbers(own, f"/{kind}/{name}", sentences))


def test_numbers_of_a_card_and_its_job_and_an_imported_file_are_indonesian(own: Site, sentences: list[str]) -> None:
    token = own.token()
    mine = cookie(own, token)
    card = sound(also="[{axis: ttft, value: 41.25, unit: ms}]", runs="{count: 6}", repeats="sglang-v41-step-16")
    addresses = [f"/cards/{own.recorded(card, token)}", f"/cards/{own.recorded(sound(model='Qwen/Qwen3-8B'), token)}"]
    for path in FIXTURES:
        sent = own.client.request("POST", "/import", files={"file": (path.name, path.read_bytes())}, headers=mine)
        addresses += [sent.headers["location"]] if sent.status_code == 303 else []  # some hold no measurement
    addresses += [f"{addresses[0]}/reproduce", f"{addresses[0]}/revisions"]
    told(line for address in addresses for line in english_numbers(own, address, sentences, **mine))


def test_an_english_number_is_found(own: Site) -> None:
    page = own.get("/claims/sglang-v41-step-16").text  # in English
    said = Said()
    said.feed(page.replace('lang="en"', ""))
    assert [text for text in said.texts if ENGLISH.search(text)]

"""A published number that somebody records as a card compares clean with the shipped claim that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.cards.examples import LONG
from app.cards.export import tree_to_yaml
from app.cards.fields import FIELDS
from app.catalogue.folder import read_catalogue
from app.catalogue.store import load_into
from app.settings import Settings
from tests.conftest import StillClock
from tests.site import Site, open_site
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database

CLAIM = "sglang-v41-step-16"
SOURCE = "https://www.sglang.io/blog/deepseek-v4.1-flash-kernel-optimization"


@pytest.fixture(scope="module")
def site(kept_database: Database) -> Iterator[Site]:
    clock = StillClock()
    load_into(kept_database, read_catalogue(Settings().catalogue), clock)
    yield from open_site(kept_database, clock)


def suggested(accept_length: str = "5.5", **workload: str) -> str:
    """The published 873.63 as somebody types it who takes the form's suggestions."""
    tree: dict[str, Any] = {
        "engine": {"name": "sglang", "commit": FIELDS["engine.commit"].example},
        "model": {"id": FIELDS["model.id"].example, "weights": FIELDS["model.weights"].example},
        "hardware": "4x GB300",
        "parallelism": {"tp": "4", "ep": "1"},
        "speculation": {
            "method": FIELDS["speculation.method"].example,
            "draft_tokens": FIELDS["speculation.draft_tokens"].example,
            "acceptance": "simulated",
            "accept_length": accept_length,
        },
        "workload": {
            name: FIELDS[f"workload.{name}"].example
            for name in ("input_tokens", "output_tokens", "dataset", "seed", "temperature", "ignore_eos")
        }
        | {"chat_template": "false", "prefix_cache": FIELDS["workload.prefix_cache"].example, "concurrency": "1"}
        | workload,
        "runs": {"count": "12", "statistic": "median"},
        "metric": {"axis": "decode_rate"},
        "result": {"value": "873.63", "unit": "tok/s"},
        "excludes": ["full prefill"],
        "repeats": CLAIM,
        "source": SOURCE,
    }
    return tree_to_yaml(tree)


@pytest.mark.parametrize(
    "text",
    [
        suggested(),
        suggested(accept_length="5.505"),
        suggested(dataset="random token ids", prefix_cache="cleared"),
        f"{LONG}repeats: {CLAIM}\n",
    ],
    ids=["the form's suggestions", "the measured mean", "other words", "the example card"],
)
def test_a_published_number_recorded_again_compares_clean_with_its_claim(site: Site, text: str) -> None:
    made = site.recorded(text, site.token())
    found = site.get(f"/api/v1/compare?a={CLAIM}&b={made}").json()
    told = [(reason["severity"], reason["rule"], reason["field"]) for reason in found["reasons"]]
    assert [item for item in told if item[0] not in ("not_stated", "note")] == [("difference", "round", "round")]
    assert found["verdict"] == "comparable_with_differences"  # what the post does not state stays a reason


def test_the_citation_of_a_card_does_not_say_that_its_number_was_checked(site: Site) -> None:
    made = site.recorded(suggested(), site.token())
    for path in (f"/cards/{made}", f"/claims/{made}"):
        quoted = read(site.get(path).text).one("textarea", id="quote-text").text
        assert ", recorded 2026-11-29" in quoted
        assert "last checked" not in quoted
        assert quoted.endswith(f"http://bench.test/cards/{made}")
    assert "Last checked" not in site.get(f"/claims/{made}").text
    assert ", last checked 2026-11-29" in site.get(f"/claims/{CLAIM}").text

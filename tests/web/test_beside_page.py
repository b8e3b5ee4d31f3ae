"""Measurements side by side: what differs stands first, one chart holds all of them, nothing is ranked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.jobs.factories import Queue, allow_all
from tests.jobs.runs import plan
from tests.site import Site, open_site
from tests.web.markup import read
from tests.web.test_measurement_pages import measured, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock

PATH = "/measurements/compare"


@pytest.fixture
def site(database: Database, clock: StillClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    allow_all(monkeypatch)
    yield from open_site(database, clock)


def two(site: Site, queue: Queue, folder: Path) -> str:
    """Two sweeps of other flags, as the address names them."""
    first = measured(site, queue, folder / "one", plan(points=(1, 2, 4)))
    flags = {"dtype": "bfloat16", "kv-cache-dtype": "fp8"}
    return f"ids={first}&ids={measured(site, queue, folder / 'two', plan(points=(2, 4), flags=flags))}"


def figure(site: Site, address: str, chart: str) -> dict[str, Any]:
    drawn = read(site.get(address).text).one("figure", id=f"chart-{chart}")
    return dict(json.loads(drawn.one("script", type="application/json").text))


def test_what_differs_stands_first_and_nothing_is_divided(site: Site, queue: Queue, tmp_path: Path) -> None:
    shown = text(site, f"{PATH}?{two(site, queue, tmp_path)}")
    assert "Their setups differ in KV cache type, so what lies between their numbers is no one thing." in shown
    assert "No ratio is given here" in shown
    assert shown.index("Their setups differ") < shown.index("What differs in their setups")


def test_both_sweeps_stand_in_one_chart_with_their_caveats(site: Site, queue: Queue, tmp_path: Path) -> None:
    ids = two(site, queue, tmp_path)
    drawn = figure(site, f"{PATH}?{ids}", "sweep")
    names = {str(trace["name"]).partition(",")[0] for trace in drawn["data"]}
    assert names == {part.removeprefix("ids=") for part in ids.split("&")}
    caption = " ".join(drawn["caption"])
    for said in ("differ in KV cache type", "random weights", "front of its own", "no line joins them"):
        assert said in caption


def test_distributions_are_of_a_load_that_both_have(site: Site, queue: Queue, tmp_path: Path) -> None:
    ids = two(site, queue, tmp_path)
    shown = read(site.get(f"{PATH}?{ids}").text)
    assert "at concurrency 2" in shown.one("figure", id="chart-tpot").one("script", type="application/json").text
    assert len(figure(site, f"{PATH}?{ids}&load=concurrency+4", "tpot")["data"]) == 2
    answer = site.get(f"{PATH}?{ids}&load=concurrency+1")
    assert answer.status_code == 404
    assert "they share concurrency 2, concurrency 4" in " ".join(answer.text.split())


@pytest.mark.parametrize("chart", ["sweep", "ttft", "tpot", "event_gap"])
def test_data_come_as_csv_below_the_caveats(site: Site, queue: Queue, tmp_path: Path, chart: str) -> None:
    ids = two(site, queue, tmp_path)
    answer = site.get(f"{PATH}.csv?{ids}&chart={chart}")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = answer.text.splitlines()
    comments = [row for row in rows if row.startswith("# ")]
    assert rows[: len(comments)] == comments
    for said in ("differ in KV cache type", "random weights", "Source: Benchcard measurements"):
        assert said in " ".join(comments)
    assert {row.partition(",")[0] for row in rows[len(comments) + 1 :]} == {
        part.removeprefix("ids=") for part in ids.split("&")
    }


def test_one_alone_is_set_beside_nothing_and_others_can_be_chosen(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan())
    shown = read(site.get(f"{PATH}?ids={found}").text)
    assert shown.all("figure") == []
    assert "checked" in shown.one("input", type="checkbox", value=found).attributes
    assert site.get(f"{PATH}.csv?ids={found}&chart=ttft").status_code == 404


def test_what_names_nothing_is_told_and_the_rest_is_shown(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan())
    shown = text(site, f"{PATH}?ids={found},mnothing", 404)
    assert "mnothing" in shown
    assert found in shown
    assert "4 measurements at most" in text(site, f"{PATH}?ids=a,b,c,d,e", 422)


def test_without_a_shared_load_no_distribution_is_drawn(site: Site, queue: Queue, tmp_path: Path) -> None:
    ids = [measured(site, queue, tmp_path / str(load), plan(points=(load,))) for load in (1, 4)]
    assert "no load at which all of them have a result" in text(site, f"{PATH}?ids={','.join(ids)}")


def test_every_sweep_is_asked_for_its_own_best_load_above_a_speed(site: Site, queue: Queue, tmp_path: Path) -> None:
    ids = two(site, queue, tmp_path)
    first, second = (part.removeprefix("ids=") for part in ids.split("&"))
    shown = read(site.get(f"{PATH}?{ids}&load=concurrency+4&above=5").text)
    assert "Ask" in shown.words()
    kept = {
        str(item.attributes["value"]) for item in shown.all("input", type="hidden") if item.attributes["name"] != "next"
    }
    assert kept == {first, second, "concurrency 4"}
    for name in (first, second):
        address = f"/api/v1/measurements/{name}/best?above=5"
        answer = site.get(address).json()
        assert shown.all("a", href=address)
        if answer["best"]:
            assert answer["best"]["load"] in shown.words()
        else:
            assert answer["text"] in shown.words(), "no measured load qualifies, and the page says so"
        assert f"{name}: Left out:" in shown.words() or not answer["left_out"]
    assert "nothing is said of what lies between these loads" in shown.words()


def test_what_is_no_speed_is_told_beside_the_sweeps_and_stays(site: Site, queue: Queue, tmp_path: Path) -> None:
    answer = site.get(f"{PATH}?{two(site, queue, tmp_path)}&above=fast")
    shown = read(answer.text)
    assert answer.status_code == 422
    assert "a number above 0 in tok/s is expected" in shown.one(id="above-why").words()
    assert shown.one("input", id="above").attributes["value"] == "fast"
    assert shown.all("figure") != []


def test_one_that_is_no_sweep_says_so_and_two_of_them_are_not_asked(site: Site, queue: Queue, tmp_path: Path) -> None:
    sweep = measured(site, queue, tmp_path / "sweep", plan(points=(1, 2)))
    points = [measured(site, queue, tmp_path / f"point-{place}", plan()) for place in (1, 2)]
    assert "It is no sweep of several loads" in text(site, f"{PATH}?ids={sweep},{points[0]}&above=5")
    assert "Best load above a speed" not in text(site, f"{PATH}?ids={','.join(points)}&above=5")

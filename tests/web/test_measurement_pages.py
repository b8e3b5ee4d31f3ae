"""Measurements as people read them, made of real traces: the verdict, every definition, charts, evidence, badges."""

from __future__ import annotations

import argparse
import html
import json
import re
import shlex
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import sqlalchemy as sa

from app.axes import AXES
from app.catalogue.folder import read_catalogue
from app.catalogue.store import load_into
from app.claims.words import axis_name
from app.jobs.measurements import record
from app.jobs.store import JOB
from app.protocol.outcome import REPORT
from app.results.files import Files
from app.web.axes_example import SAME
from runners.arguments import add_commands
from tests.jobs.bundles import files_of, written
from tests.jobs.factories import RANDOM, Queue, allow_all, capabilities
from tests.jobs.prepared import prepare
from tests.jobs.runs import attempt, plan, write_trace
from tests.site import Site, open_site
from tests.storage.test_load import source
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.db import Database
    from app.protocol.plan import Plan
    from tests.conftest import StillClock

DUMMY = "random weights"


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    allow_all(monkeypatch)


@pytest.fixture
def site(database: Database, clock: StillClock, tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "one.yaml").write_text(source("one", "a"))
    load_into(database, read_catalogue(folder), clock)
    yield from open_site(database, clock)


def measured(
    site: Site, queue: Queue, folder: Path, of: Plan, *, failed: int = 0, wanted: dict[str, Any] | None = None
) -> str:
    """The id of a measurement of a job that ran just now; `failed` requests of its first run got no answer."""
    queue.submit(plan=of, **(wanted or {}))
    job, epoch = queue.running(capabilities=capabilities(tools=of.tools))
    report, traces = attempt(folder / job, of)
    if failed:
        first = next(iter(traces.values()))
        write_trace(first, of.points[0].requests, of.points[0].concurrency or 1, 20.0, 10.0, failed=failed)
    data = {name: file.read_bytes() for name, file in traces.items()} | {REPORT: report.model_dump_json().encode()}
    parts = {name: _keep(site, content) for name, content in data.items()}
    for name, content in data.items():
        queue.part(job, epoch, name, content)
    found = prepare(site.database, Files(site.data / "files"), job, parts)
    queue.finish(job, epoch, parts=parts)
    moment = site.clock.now()
    return site.database.write(lambda session: record(session, found, job, epoch, "Ana", moment, RANDOM))


def _keep(site: Site, data: bytes) -> str:
    with Files(site.data / "files").arriving(1 << 30) as arriving:
        arriving.write(data)
        return arriving.keep().sha256


def text(site: Site, path: str, status: int = 200) -> str:
    answer = site.get(path)
    assert answer.status_code == status, answer.text[:500]
    read(answer.text)  # every element closed
    return html.unescape(answer.text)


def claims(site: Site) -> list[Any]:
    found: list[Any] = site.get("/api/v1/claims").json()["items"]
    return found


def test_the_lists_say_when_nothing_was_measured(site: Site) -> None:
    assert "Nothing was measured here yet" in text(site, "/measurements")
    assert "Nothing of this was measured again" in text(site, "/measurements?claim_id=x")
    assert "belongs to another list" in text(site, "/measurements?cursor=x", 422)
    text(site, "/measurements/none", 404)


def test_a_measurement_says_what_it_found_by_every_definition(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan())
    shown = text(site, f"/measurements/{found}")
    assert "Every run of it is a result" in shown
    for tool in ("vllm bench", "sglang bench_serving", "InferenceX", "aiperf"):
        assert tool in shown
    assert shown.count(DUMMY) + shown.count("Random weights") > 5
    for said in ("Debian 12", "AMD EPYC", "NVIDIA H200", "--api-key=***", "benchcard measure http://HOST:PORT"):
        assert said in shown
    assert "benchcard job submit --plan plan.json" in shown
    assert "a-0-1.parquet" in shown
    assert DUMMY in text(site, "/measurements")


def test_each_way_of_counting_tokens_has_a_command_that_repeats_it(site: Site, queue: Queue, tmp_path: Path) -> None:
    both = plan((2, 2))
    points = (both.points[0], both.points[1].model_copy(update={"counting": "at_end"}))
    found = measured(site, queue, tmp_path, both.model_copy(update={"points": points}))
    shown = text(site, f"/measurements/{found}")
    assert "concurrency 2, tokens counted at the end" in shown
    assert shown.count("benchcard measure http://HOST:PORT") == 2
    assert shown.count("--usage-at-end") == 1


def test_charts_come_with_their_numbers_as_table_and_csv(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan())
    page = read(site.get(f"/measurements/{found}").text)
    assert len(page.all("figure")) == 4
    assert len(page.all("figure")) == len([item for item in page.all("table") if "data" in item.attributes["class"]])
    for chart, heading in (("ttft", "at_most_ms"), ("tpot", "at_most_ms"), ("timeline", "from_s")):
        answer = site.get(f"/measurements/{found}/chart.csv?run=2&chart={chart}")
        assert answer.headers["content-type"].startswith("text/csv")
        assert heading in answer.text
        assert "andom weights" in answer.text
    rows = site.get(f"/measurements/{found}/chart.csv?run=1&chart=ttft").text.strip().splitlines()
    assert rows[-1] == "20,100"
    for wrong in ("chart=odd", "chart=ttft&run=9", "chart=sweep", "run=x&chart=ttft"):
        assert site.get(f"/measurements/{found}/chart.csv?{wrong}").status_code == 404, wrong


def test_a_run_is_chosen_by_the_address(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan(sides=2))
    assert "One run: server B, concurrency 2, repeat 2" in text(site, f"/measurements/{found}?run=5")
    assert "the runs 1 to 6" in text(site, f"/measurements/{found}?run=7", 404).lower()
    assert "Server B against server A" in text(site, f"/measurements/{found}")
    assert "12 of 12 pairs of outputs are equal" in text(site, f"/measurements/{found}")


def test_a_run_that_is_no_result_has_no_number_and_says_why(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan(), failed=2)
    shown = text(site, f"/measurements/{found}?run=1")
    assert "This run is no result" in shown
    assert "withheld" in shown
    assert "nothing to quote" in shown
    assert "infinite: failed requests" in shown
    assert "2 of 3 runs gave a result" in shown


def test_a_trace_that_is_gone_is_told(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan())
    row = site.client.app.state.measurements.one(found)
    digest = row.numbers["sets"][0]["runs"][0]["trace_sha256"]
    Files(site.data / "files").path(digest).unlink()
    assert "not here or cannot be read" in text(site, f"/measurements/{found}?run=1")
    assert site.get(f"/measurements/{found}/chart.csv?run=1&chart=ttft").status_code == 404


def test_a_sweep_shows_every_load_and_no_line_between_them(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan(points=(1, 2, 4)), failed=2)
    shown = text(site, f"/measurements/{found}")
    assert "Total throughput per GPU over P90 interactivity" in shown
    assert "concurrency 1: no result" in shown
    assert '"mode": "lines"' not in shown.split("chart-sweep")[1].split("</script>")[0]
    rows = site.get(f"/measurements/{found}/chart.csv?chart=sweep").text.splitlines()
    assert "concurrency 1,withheld,withheld,no result" in rows
    assert any(row.endswith("on the front") for row in rows)
    comments = [row for row in rows if row.startswith("# ")]
    assert rows[: len(comments)] == comments
    for said in ("no line joins them", "without a place: concurrency 1", "Random weights", "Source: Benchcard"):
        assert said in " ".join(comments)
    assert "repeat" not in " ".join(comments)  # it is of every run


def test_where_no_two_loads_are_results_no_chart_is_drawn(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan(points=(1, 2)), failed=2)
    assert "chart-sweep" not in site.get(f"/measurements/{found}").text
    assert "withheld" in text(site, f"/measurements/{found}")


def test_both_servers_of_one_repeat_stand_in_the_same_curves(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan(sides=2))
    chart = read(site.get(f"/measurements/{found}?run=5").text).one("figure", id="chart-tpot")
    drawn = json.loads(chart.one("script", type="application/json").text)
    assert [line["name"] for line in drawn["data"]] == ["server B: FP8 KV cache", "server A: as it is"]
    assert "the same load and repeat" in " ".join(drawn["caption"])
    rows = site.get(f"/measurements/{found}/chart.csv?run=5&chart=tpot").text.splitlines()
    assert "server,at_most_ms,share_percent" in rows
    assert {row.partition(",")[0] for row in rows if row.startswith("server ")} == {
        "server A: as it is",
        "server B: FP8 KV cache",
    }


def test_no_run_stands_beside_one_that_is_no_result(site: Site, queue: Queue, tmp_path: Path) -> None:
    found = measured(site, queue, tmp_path, plan(sides=2), failed=2)
    for run in (1, 4):
        drawn = read(site.get(f"/measurements/{found}?run={run}").text).one("figure", id="chart-tpot")
        assert "the same load and repeat" not in drawn.one("script", type="application/json").text


def test_a_bundle_from_elsewhere_is_shown_from_its_own_traces(site: Site, queue: Queue, tmp_path: Path) -> None:
    here = measured(site, queue, tmp_path / "here", plan(points=(1,)))
    assert site.get(f"/measurements/{here}").text.count(f'href="/api/v1/measurements/{here}/evidence"') == 2
    bundle = written(tmp_path, files_of(tmp_path / "elsewhere", with_claim=False)).read_bytes()
    kind = "application/octet-stream"
    answer = site.send("POST", "/api/v1/measurements/import", bundle, site.token(), Content_Type=kind)
    assert answer.status_code == 201, answer.text
    shown = text(site, f"/measurements/{answer.json()['id']}")
    assert "verified from its traces" in shown
    said = "measured elsewhere: measured, no claim beside it, verified from trace"
    assert said in site.get(f"/measurements/{answer.json()['id']}/badge.svg").text
    assert said.capitalize() in shown
    assert "verified from trace" not in site.get(f"/measurements/{here}/badge.svg").text
    assert "vllm bench" in shown
    assert "at_most_ms" in site.get(f"/measurements/{answer.json()['id']}/chart.csv?run=2&chart=ttft").text


def test_the_verdict_stands_on_top_with_interval_and_claim(site: Site, queue: Queue, tmp_path: Path) -> None:
    claim = claims(site)[0]["id"]
    found = measured(site, queue, tmp_path, plan(), wanted={"claim_id": claim})
    shown = text(site, f"/measurements/{found}")
    verdict = site.client.app.state.measurements.one(found).verdict
    assert verdict["text"] in shown
    assert f"/claims/{claim}" in shown
    assert verdict["text"] in text(site, f"/measurements?claim_id={claim}")
    for path in (f"/measurements/{found}", f"/claims/{claim}"):
        assert 'href="/verdicts#measured-again"' in site.get(path).text


def test_the_verdict_names_its_axis_and_what_it_was_held_against(site: Site, queue: Queue, tmp_path: Path) -> None:
    claim = claims(site)[0]
    found = measured(site, queue, tmp_path, plan(), wanted={"claim_id": claim["id"]})
    page = read(site.get(f"/measurements/{found}").text)
    (top,) = [item for item in page.all("p") if item.attributes.get("class", "").startswith("stands")]
    assert f"On the axis {axis_name(claim['axis'])}:" in top.words()
    assert top.all("a", href=f"/axes#{claim['axis']}")
    facts = {
        item.one("dt").words(): item.one("dd")
        for item in page.all("div")
        if len(item.all("dt")) == len(item.all("dd")) == 1
    }
    assert facts["Axis"].words() == AXES[claim["axis"]].definition
    assert facts["Held against"].words() == f"{claim['headline']}: {claim['title']}"
    shown = site.get(f"/measurements/{found}/picture.png")
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    assert f"/measurements/{found}/picture.png" in site.get(f"/measurements/{found}").text
    assert f"Axis: {axis_name(claim['axis'])}" in text(site, "/measurements")


def test_why_a_run_is_no_result_is_told_on_top_and_at_the_run_and_nowhere_again(
    site: Site, queue: Queue, tmp_path: Path
) -> None:
    claim = claims(site)[0]["id"]
    found = measured(site, queue, tmp_path, plan(), failed=2, wanted={"claim_id": claim})
    run = site.client.app.state.measurements.one(found).numbers["sets"][0]["runs"][0]
    assert run["reasons"]
    page = read(site.get(f"/measurements/{found}").text).words()
    for reason in run["reasons"]:
        rule, _, sentence = reason.partition(": ")
        assert 1 <= page.count(sentence) <= 2, reason
        assert f"{rule}: " not in page
    assert "no result: repeat 1; why stands at the run below" in page


def test_what_the_sign_of_another_number_means_is_said_where_it_stands(
    site: Site, queue: Queue, tmp_path: Path
) -> None:
    found = measured(site, queue, tmp_path, plan())
    for path in ("/axes", f"/measurements/{found}"):
        assert f"≠ marks a number that is more than {SAME * 100:g} % from" in text(site, path)


def test_what_the_plan_took_for_granted_stands_beside_the_verdict(site: Site, queue: Queue, tmp_path: Path) -> None:
    claim = claims(site)[0]["id"]
    assumed = ("repeats: 3", "weights: real, as <b>a</b> published number's are")
    found = measured(site, queue, tmp_path, plan(), wanted={"claim_id": claim, "assumptions": assumed})
    for path in (f"/measurements/{found}", f"/jobs/{site.client.app.state.measurements.one(found).job_id}"):
        shown = read(site.get(path).text).words()
        assert "Repeats: 3" in shown
        assert "as <b>a</b> published" in shown


@pytest.mark.parametrize(
    ("wanted", "said"),
    [({"claim_id": "a"}, "all that it needs is stated"), ({}, "its plan was sent as it is")],
)
def test_a_job_without_assumptions_says_so(
    site: Site, queue: Queue, tmp_path: Path, wanted: dict[str, Any], said: str
) -> None:
    found = measured(site, queue, tmp_path, plan(), wanted=wanted)
    assert said in text(site, f"/jobs/{site.client.app.state.measurements.one(found).job_id}")


def test_a_job_from_before_assumptions_were_kept_says_so(site: Site, queue: Queue) -> None:
    job = queue.submit()
    site.database.write(lambda session: session.connection().execute(sa.update(JOB).values(assumptions=None)))
    assert "Not kept" in text(site, f"/jobs/{job}")


def test_a_badge_may_stand_on_any_page_and_says_its_status_in_words(site: Site, queue: Queue, tmp_path: Path) -> None:
    claim = claims(site)[0]["id"]
    before = site.get(f"/claims/{claim}/badge.svg")
    assert "never tried" in before.text
    found = measured(site, queue, tmp_path, plan(), wanted={"claim_id": claim})
    for path in (f"/claims/{claim}/badge.svg", f"/measurements/{found}/badge.svg"):
        answer = site.get(path)
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert "max-age=300" in answer.headers["cache-control"]
        assert "cookie" not in answer.headers.get("vary", "").lower()
        assert DUMMY in answer.text
        ET.fromstring(answer.text)
    assert f"/claims/{claim}/badge.svg" in text(site, f"/claims/{claim}")
    assert site.get("/claims/none/badge.svg").status_code == 404
    assert site.get("/measurements/none/badge.svg").status_code == 404


def test_a_badge_is_sent_again_only_where_it_has_changed(site: Site, queue: Queue, tmp_path: Path) -> None:
    claim = claims(site)[0]["id"]
    path = f"/claims/{claim}/badge.svg"
    first = site.get(path)
    mark = first.headers["etag"]
    for asked in (mark, f'"other", {mark}', mark.removeprefix("W/"), "*"):
        same = site.get(path, headers={"If-None-Match": asked})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", mark)
        for name in ("cache-control", "access-control-allow-origin", "cross-origin-resource-policy"):
            assert same.headers[name] == first.headers[name]
    for asked in ("", '"other"', "nonsense", mark[:-2]):
        assert site.get(path, headers={"If-None-Match": asked}).content == first.content
    measured(site, queue, tmp_path, plan(), wanted={"claim_id": claim})
    changed = site.get(path, headers={"If-None-Match": mark})
    assert (changed.status_code, changed.headers["etag"] != mark) == (200, True)
    head = site.client.request("HEAD", path, headers={"If-None-Match": changed.headers["etag"]})
    assert head.status_code == 304


def test_a_verdict_stands_in_the_feed_with_random_weights_and_without_its_number(
    site: Site, queue: Queue, tmp_path: Path
) -> None:
    claim = claims(site)[0]
    found = measured(site, queue, tmp_path, plan(), wanted={"claim_id": claim["id"]})
    (entry,) = [item for item in ET.fromstring(site.get("/feed.atom").text) if found in ET.tostring(item).decode()]
    assert [entry[0].text, entry[-1].text] == [
        f"Measured again: {claim['title']}",
        "different setup, on random weights",
    ]


def test_clients_held_against_one_server_have_a_page_and_stand_in_their_measurement(
    site: Site, queue: Queue, tmp_path: Path
) -> None:
    assert "No such measurement is here yet" in text(site, "/axes/agreement")
    of = plan(repeats=1).model_copy(update={"kind": "agreement", "tools": ("vllm_bench",)})
    measured(site, queue, tmp_path, plan(repeats=1))
    name = measured(site, queue, tmp_path / "held", of)
    page = text(site, "/axes/agreement")
    assert page.count("<h3>concurrency 2</h3>") == 1
    assert f'href="/measurements/{name}"' in page
    assert "no run: no number" in page
    assert "No client has a run that can be compared" in text(site, f"/measurements/{name}")
    (item,) = site.get("/api/v1/measurements?kind=agreement").json()["items"]
    assert item["id"] == name


def test_the_command_that_repeats_a_load_is_one_that_benchcard_takes(site: Site, queue: Queue, tmp_path: Path) -> None:
    page = text(site, f"/measurements/{measured(site, queue, tmp_path, plan(points=(1, 2, 8)))}")
    (command,) = re.findall(r'id="command-1"[^>]*>(benchcard measure [^<]*)<', page)
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers())
    assert parser.parse_args(shlex.split(command)[1:]).concurrency == [1, 2, 8]

"""What runners and whoever asks for jobs may send, in every field that takes text: shown literally on every page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from pydantic import ValidationError

from app.cards.store import Writer
from app.jobs.logs import Logs
from app.jobs.measurements import record
from app.jobs.retiring import retire
from app.protocol.outcome import REPORT, Outcome, Report
from app.protocol.plan import Plan
from app.results.files import Files
from tests.jobs.factories import RANDOM, Queue, allow_all, capabilities
from tests.jobs.prepared import prepare
from tests.jobs.runs import attempt, plan
from tests.site import Site, open_site
from tests.web.markup import read
from tests.web.test_bad_input import HOSTILE
from tests.web.test_measurement_pages import _keep as kept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock
    from tests.web.markup import Element

Sent = TypeVar("Sent", Plan, Report)
HAS = tuple({"name": "vllm", "version": "0.33.0", "device": device} for device in ("cuda", "cpu"))


@pytest.fixture
def site(database: Database, clock: StillClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    allow_all(monkeypatch)  # asked for when the policy knew less
    yield from open_site(database, clock)


@pytest.fixture
def queue(site: Site) -> Queue:
    return Queue(site.database, site.clock, Logs(site.data / "logs"))


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Of every text in it."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, value in items:
        if isinstance(value, str):
            yield (*path, name)
        yield from places(value, (*path, name))


def filled(given: Sent, text: str) -> Sent:
    """The same with the text wherever its shape takes any, but for the names by which runs find their traces."""
    said = json.loads(given.model_dump_json())
    for *above, last in list(places(said)):
        if "plan" in above or last in ("trace", "result"):
            continue
        at = said
        for name in above:
            at = at[name]
        before, at[last] = at[last], text
        try:
            type(given).model_validate_json(json.dumps(said))
        except ValidationError:
            at[last] = before
    return type(given).model_validate_json(json.dumps(said))


def hostile_plan(text: str) -> Plan:
    """With it as label, as a flag's value and a key in one, and as a variable."""
    flags = {"max-model-len": text, "speculative-config": {text: text}}
    return filled(plan((2, 3), flags=flags, env={"TEXT": text}), text)


def hostile_report(folder: Path, of: Plan, text: str) -> tuple[Report, dict[str, Path]]:
    report, traces = attempt(folder, of)
    info = {text: text, "version": text}
    said = {"notes": (text,), "server_info": info, "env": {text: text}, "argv": (text,)}
    first = report.runs[0].model_copy(update={"reasons": (text, f"lagging_client: {text}"), "referee": {text: text}})
    sides = (report.sides[0].model_copy(update=said),)
    changed = report.model_copy(update={"sides": sides, "runs": (first, *report.runs[1:]), "notes": (text,)})
    return filled(changed, text), traces


def measured(site: Site, queue: Queue, folder: Path, text: str) -> tuple[str, str]:
    """Job and measurement of a runner that says it wherever it can."""
    of = hostile_plan(text)
    queue.submit(plan=of, by=Writer(text, "bcr_ana"), assumptions=(text,))
    gpu = {"name": text, "memory_mib": 1, "driver": text}
    job, epoch = queue.running(capabilities=capabilities(gpus=(gpu,), engines=HAS, models=(text,)), version=text)
    queue.beat(job, epoch, note=text)
    queue.log(job, epoch, 0, f"{text}\n".encode())
    report, traces = hostile_report(folder / job, of, text)
    data = {name: file.read_bytes() for name, file in traces.items()} | {REPORT: report.model_dump_json().encode()}
    parts = {name: kept(site, content) for name, content in data.items()}
    for name, content in data.items():
        queue.part(job, epoch, name, content)
    found = prepare(site.database, Files(site.data / "files"), job, parts)
    now = site.clock.now()
    return job, site.database.write(lambda session: record(session, found, job, epoch, text, now, RANDOM))


def harmless(page: str) -> Element:
    """Nothing in the page is an element, a script or an address of theirs; a chart's data is no markup."""
    root = read(page)
    everything = root.all()
    assert not [item for item in everything if any(name.startswith("on") for name in item.attributes)]
    assert not [item for item in root.all("img") if not item.attributes["src"].startswith(("/", "data:"))]
    for script in root.all("script"):
        if script.attributes.get("type") == "application/json":
            assert "<" not in script.text
            json.loads(script.text)
        else:
            assert script.attributes["src"].startswith("/static/")
    addresses = [item.attributes.get(name, "") for item in everything for name in ("href", "src", "action", "hx-get")]
    assert not [address for address in addresses if address.startswith("javascript:")]
    return root


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_job_its_runner_and_its_measurement_say_is_shown_literally(
    text: str, site: Site, queue: Queue, tmp_path: Path
) -> None:
    job, made = measured(site, queue, tmp_path, text)
    told = " ".join(text.split())
    telling = {
        f"/jobs/{job}", f"/jobs/{job}/log", f"/jobs/{job}/approval", "/runners", f"/measurements/{made}",
        f"/measurements/compare?ids={made}",
    }  # fmt: skip
    for path in (*telling, f"/jobs/{job}/cancel", "/jobs", "/measurements", "/axes/agreement"):
        root = harmless(site.get(path).text)
        assert path not in telling or told in root.words(), path
        assert "<script>alert" not in site.get(path, headers={"HX-Request": "true"}).text, path
    assert "<script>" not in site.get(f"/measurements/{made}/badge.svg").text
    assert site.get(f"/api/v1/measurements/{made}").json()["created_by"] == text


@pytest.mark.parametrize("text", HOSTILE)
def test_what_goes_wrong_is_told_literally(text: str, site: Site, queue: Queue) -> None:
    failed = queue.submit(plan=hostile_plan(text), by=Writer(text, "bcr_ana"))
    outcome = Outcome(state="failed", failure="out_of_memory", message=text)
    assert queue.finish(*queue.running(), outcome=outcome) == "failed"
    refused = queue.submit(plan=hostile_plan(text))
    assert queue.finish(*queue.running(), outcome=outcome.model_copy(update={"failure": "not_allowed"})) == "queued"
    queue.lease("two", "boot-two", quarantine=text)
    queue.lease("three", "boot-three", draining=True)
    by = Writer(text, "bcr_may", maintains=True)
    queue.database.write(lambda session: retire(session, "three", by, site.clock.now(), second=False))
    told = " ".join(text.split())
    for path in (f"/jobs/{failed}", f"/jobs/{refused}", f"/jobs/{refused}/approval", "/runners"):
        assert told in harmless(site.get(path).text).words(), path
    queue.cancel(refused, by=by)
    for path in (f"/jobs/{refused}", "/jobs"):
        harmless(site.get(path).text)

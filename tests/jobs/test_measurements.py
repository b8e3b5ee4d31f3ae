"""A measurement is recorded once, with the verdict on its claim, and the claim's row says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from app.catalogue.folder import read_catalogue
from app.catalogue.queries import Catalogue
from app.catalogue.store import load_into
from app.claims.rows import ClaimFilter
from app.errors import InvalidInputError, NotFoundError
from app.jobs.leases import sweep
from app.jobs.measurements import MEASUREMENT, Found, judge_changed, record, record_bundle, renew
from app.protocol.outcome import REPORT, Report
from app.results.files import Files, Kept
from tests.jobs.factories import RANDOM, allow_all
from tests.jobs.prepared import prepare
from tests.jobs.runs import attempt, plan
from tests.storage.test_load import source

if TYPE_CHECKING:
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock
    from tests.jobs.factories import Queue


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    allow_all(monkeypatch)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path / "files")


@pytest.fixture
def catalogue(database: Database, clock: StillClock, tmp_path: Path) -> Catalogue:
    load(database, clock, tmp_path)
    return Catalogue(database)


def load(database: Database, clock: StillClock, tmp_path: Path, extra: str = "", value: str = "873.63") -> None:
    folder = tmp_path / "sources"
    folder.mkdir(exist_ok=True)
    (folder / "one.yaml").write_text(source("one", "a", extra=extra).replace("873.63", value))
    load_into(database, read_catalogue(folder), clock)


def kept(files: Files, tmp_path: Path, report: Report, traces: dict[str, Path]) -> dict[str, str]:
    """The attempt's parts, as they are kept; name -> SHA-256."""
    data = {name: file.read_bytes() for name, file in traces.items()}
    data[REPORT] = report.model_dump_json().encode()
    return {name: keep(files, content) for name, content in data.items()}


def keep(files: Files, data: bytes) -> str:
    with files.arriving(1 << 30) as arriving:
        arriving.write(data)
        return arriving.keep().sha256


def measured(queue: Queue, files: Files, tmp_path: Path, **asked: Any) -> tuple[str, int, Found]:
    of = plan()
    queue.submit(plan=of, **asked)
    job, epoch = queue.running()
    parts = kept(files, tmp_path, *attempt(tmp_path / "traces", of))
    return job, epoch, prepare(queue.database, files, job, parts)


def put(queue: Queue, job: str, epoch: int, found: Found) -> str:
    return queue.database.write(lambda session: record(session, found, job, epoch, "Ana", queue.clock.now(), RANDOM))


def stored(database: Database) -> list[Any]:
    with database.read() as session:
        return list(session.connection().execute(sa.select(MEASUREMENT)).all())


def test_an_attempt_is_measured_once_however_often_it_is_recorded(queue: Queue, files: Files, tmp_path: Path) -> None:
    job, epoch, found = measured(queue, files, tmp_path)
    assert put(queue, job, epoch, found) == put(queue, job, epoch, found)
    (row,) = stored(queue.database)
    assert row.id.startswith("m")
    assert (row.job_id, row.trust, row.kind, row.verdict) == (job, "runner", "point", None)
    assert json.loads(row.numbers)["sets"][0]["tpot_ms"]["median"] == pytest.approx(10.02)
    assert Report.model_validate_json(row.report) == found.report


def test_the_claims_row_says_how_measuring_it_again_went(
    queue: Queue, files: Files, tmp_path: Path, catalogue: Catalogue
) -> None:
    job, epoch, found = measured(queue, files, tmp_path, claim_id="a")
    measurement = put(queue, job, epoch, found)
    again = catalogue.claim("a").reproduction
    assert (again.status, again.measurement, again.job) == ("different_setup", measurement, job)
    assert again.measured is not None and again.differences == ("engine", "model weights")
    assert catalogue.page(ClaimFilter((("status", ("different_setup",)),))).total == 1


def test_the_verdict_on_record_lists_the_assumptions_of_the_job(
    queue: Queue, files: Files, tmp_path: Path, catalogue: Catalogue
) -> None:
    put(queue, *measured(queue, files, tmp_path, claim_id="a", assumptions=("repeats: 5", "seed: 1")))
    (row,) = stored(queue.database)
    assert json.loads(row.verdict)["assumptions"] == ["repeats: 5", "seed: 1"]


def test_a_claim_that_is_loaded_anew_keeps_its_verdict(
    queue: Queue, files: Files, tmp_path: Path, catalogue: Catalogue, clock: StillClock
) -> None:
    put(queue, *measured(queue, files, tmp_path, claim_id="a"))
    load(queue.database, clock, tmp_path, extra="rank: 7")
    assert catalogue.claim("a").reproduction.status == "never_tried"
    assert queue.database.write(renew) == 1
    assert catalogue.claim("a").reproduction.status == "different_setup"
    assert queue.database.write(renew) == 0


def test_a_claim_whose_number_was_corrected_is_judged_again(
    queue: Queue, files: Files, tmp_path: Path, catalogue: Catalogue, clock: StillClock
) -> None:
    put(queue, *measured(queue, files, tmp_path, claim_id="a"))
    assert "against 873.63 tok/s" in catalogue.claim("a").reproduction.text
    load(queue.database, clock, tmp_path, value="99.8")
    queue.database.write(judge_changed)
    assert "against 99.8 tok/s" in catalogue.claim("a").reproduction.text


def test_a_failure_is_said_only_where_no_attempt_came_to_a_verdict(
    queue: Queue, files: Files, tmp_path: Path, catalogue: Catalogue
) -> None:
    queue.submit(plan=plan(), claim_id="a")
    queue.finish(*queue.running(), failure="out_of_memory")
    queue.database.write(lambda session: renew(session, "a"))
    assert catalogue.claim("a").reproduction.text == "attempt failed: the GPUs' memory was not enough"
    job, epoch, found = measured(queue, files, tmp_path, claim_id="a")
    put(queue, job, epoch, found)
    assert catalogue.claim("a").reproduction.status == "different_setup"


def test_a_job_that_lost_its_last_runner_fails_on_its_claim(queue: Queue, catalogue: Catalogue) -> None:
    queue.submit(claim_id="a")
    for number in range(3):
        queue.running(runner=f"r{number}", boot_id=f"boot-{number:04d}")
        queue.later(90)
        assert catalogue.claim("a").reproduction.status == "never_tried"
    queue.database.write(lambda session: sweep(session, queue.clock.now()))
    assert catalogue.claim("a").reproduction.text == "attempt failed: the runner was not heard of any more"


def test_a_bundle_is_recorded_once_and_speaks_for_its_claim_until_one_is_made_here(
    queue: Queue, files: Files, tmp_path: Path, catalogue: Catalogue
) -> None:
    job, epoch, found = measured(queue, files, tmp_path, claim_id="a")
    queue.submit(plan=plan(), claim_id="a")
    queue.finish(*queue.running(runner="r2", boot_id="boot-0002"), failure="out_of_memory")
    queue.database.write(lambda session: renew(session, "a"))
    assert catalogue.claim("a").reproduction.status == "failed"

    def put_bundle() -> tuple[str, bool]:
        return queue.database.write(
            lambda session: record_bundle(session, found, Kept("0" * 64, 7), "Ana", queue.clock.now(), RANDOM)
        )

    (first, new), (second, again) = put_bundle(), put_bundle()
    assert (first, new, again) == (second, True, False)
    (row,) = stored(queue.database)
    assert (row.trust, row.job_id, json.loads(row.verdict)["status"]) == (
        "verified from trace", None, "different_setup",
    )  # fmt: skip
    said = catalogue.claim("a").reproduction
    assert (said.status, said.imported, said.measurement, said.job) == ("different_setup", True, first, None)
    assert said.text.startswith("Measured elsewhere, verified from trace: ")
    put(queue, job, epoch, found)
    said = catalogue.claim("a").reproduction
    assert (said.status, said.imported, said.job) == ("different_setup", False, job)
    assert "elsewhere" not in said.text


def test_a_bundle_of_what_was_measured_here_is_that_measurement(queue: Queue, files: Files, tmp_path: Path) -> None:
    job, epoch, found = measured(queue, files, tmp_path)
    here = put(queue, job, epoch, found)
    again = queue.database.write(
        lambda session: record_bundle(session, found, Kept("0" * 64, 7), "Ana", queue.clock.now(), RANDOM)
    )
    assert again == (here, False)


def test_a_corrupt_trace_is_recorded_as_a_finding(
    queue: Queue, files: Files, tmp_path: Path, catalogue: Catalogue
) -> None:
    of = plan()
    queue.submit(plan=of, claim_id="a")
    job, epoch = queue.running()
    report, traces = attempt(tmp_path / "traces", of)
    traces["a-0-1.parquet"].write_bytes(b"PAR1 and nothing more")
    found = prepare(queue.database, files, job, kept(files, tmp_path, report, traces))
    put(queue, job, epoch, found)
    again = catalogue.claim("a").reproduction
    assert again.status == "inconclusive"
    assert "the trace `a-0-1.parquet` cannot be read" in again.text


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (None, "this one has none"),
        (b"{", "report.json: report"),
        (b'{"format": 1}', "report.plan"),
        (b'{"format": 1, "plan": {}, "machine": {}, "sides": [], "runs": [], "hint": 1}', "report.plan.kind"),
    ],
)
def test_an_attempt_without_a_report_is_refused_with_the_place(
    queue: Queue, files: Files, report: bytes | None, said: str
) -> None:
    job = queue.submit(plan=plan())
    parts = {} if report is None else {REPORT: keep(files, report)}
    with pytest.raises(InvalidInputError) as raised:
        prepare(queue.database, files, job, parts)
    assert said in raised.value.message


def test_a_job_that_is_not_there_has_no_measurement(queue: Queue, files: Files) -> None:
    with pytest.raises(NotFoundError):
        prepare(queue.database, files, "j0", {})

"""Our own numbers in the catalogue are those of the traces that ship with it; a first start puts these on record."""

from __future__ import annotations

import shutil
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from app.catalogue.folder import SOURCES, read_catalogue
from app.claims.schema import Dtypes
from app.errors import ConflictError, SetupError
from app.jobs.measured import Measurements
from app.jobs.measurements import MEASUREMENT, VERIFIED
from app.jobs.quantities import value
from app.jobs.shipped import FOLDER, checked, record_all
from app.results.bundle import one_file
from app.results.files import Files
from bench.publish import rounded
from runners.load.statistics import few
from tests.jobs.bundles import bundle_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from app.claims.schema import Claim
    from app.db import Database
    from app.jobs.evidence import Checked
    from app.protocol.outcome import Report
    from tests.conftest import StillClock

OWN = [claim for loaded in read_catalogue(SOURCES) for claim in loaded.source.claims if claim.evidence]


@cache
def bundle(measurement: str) -> Checked:
    return checked(SOURCES.parent / FOLDER / f"{measurement}.zip")


def numbers(measurement: str) -> dict[str, Any]:
    return bundle(measurement).numbers


def report(measurement: str) -> Report:
    return bundle(measurement).report


def test_every_bundle_that_ships_tells_a_stranger_what_it_is() -> None:
    for file in (SOURCES.parent / FOLDER).glob("*.zip"):
        assert f"# Benchcard measurement {file.stem}\n" in b"".join(one_file(file, "README.md")).decode()


@pytest.mark.parametrize("claim", OWN, ids=lambda claim: claim.id)
def test_a_number_of_our_own_is_what_its_traces_give(claim: Claim) -> None:
    assert claim.evidence is not None
    place = (claim.evidence.side, claim.evidence.point)
    of_set = next(
        item for item in numbers(claim.evidence.measurement)["sets"] if (item["side"], item["point"]) == place
    )
    found = value(of_set, claim.axis, "median", of_set["gpus"])
    assert found is not None
    assert claim.value == rounded(found)
    assert of_set["load"] in claim.locator
    assert claim.conditions.load.concurrency == of_set["load"].partition(",")[0].rpartition(" ")[2]


@pytest.mark.parametrize("claim", OWN, ids=lambda claim: claim.id)
def test_conditions_that_the_plan_fixes_are_the_plans(claim: Claim) -> None:
    assert claim.evidence is not None
    plan = report(claim.evidence.measurement).plan
    launch, given = plan.sides[0].launch, claim.conditions
    assert launch is not None
    assert given.workload.requests == str(plan.points[claim.evidence.point].requests)
    assert (given.model.weights, given.engine.version) == (launch.weights, launch.version)


# How each way of running is told in the logs of the engine that chose it, beside the type of weights and KV cache.
EXECUTIONS = {
    "CUDA graphs, full and piecewise": (
        "dtype=torch.bfloat16", "kv_cache_dtype=auto", "quantization=None", "enforce_eager=False",
        "Capturing CUDA graphs (FULL)", "Capturing CUDA graphs (PIECEWISE)",
    ),
    "CUDA graphs for decode only": (
        "KV Cache is allocated. dtype: torch.bfloat16", "quantization=None", "Disable prefill CUDA graph",
        "Capture target decode CUDA graph end",
    ),
}  # fmt: skip


@pytest.mark.parametrize("measurement", sorted({claim.evidence.measurement for claim in OWN if claim.evidence}))
def test_what_the_engine_chose_by_itself_stands_in_its_log(measurement: str) -> None:
    log = b"".join(one_file(SOURCES.parent / FOLDER / f"{measurement}.zip", "log.txt")).decode()
    own = [item.conditions for item in OWN if item.evidence and item.evidence.measurement == measurement]
    ((dtypes, execution),) = {(given.dtypes, given.execution) for given in own}
    assert dtypes == Dtypes(weights="bf16", kv="bf16")
    assert [said for said in EXECUTIONS[str(execution)] if said not in log] == []


@pytest.mark.parametrize("claim", OWN, ids=lambda claim: claim.id)
def test_requests_that_failed_are_told_with_the_number_that_goes_without_them(claim: Claim) -> None:
    assert claim.evidence is not None
    place = (claim.evidence.side, claim.evidence.point)
    sets = numbers(claim.evidence.measurement)["sets"]
    failed, asked = next((item["failed"], item["requests"]) for item in sets if (item["side"], item["point"]) == place)
    told = [item.text for item in claim.caveats if "as failed" in item.text]
    assert [text.partition(" requests ")[0] for text in told] == ([f"{failed} of {asked:,}"] if failed else [])


@pytest.mark.parametrize("claim", [item for item in OWN if "interactivity" in item.axis], ids=lambda claim: claim.id)
def test_a_slow_tail_of_our_own_is_of_enough_requests(claim: Claim) -> None:
    assert claim.conditions.workload.requests is not None
    assert few(90, int(claim.conditions.workload.requests)) == ""


def test_whatever_names_benchcard_as_its_maker_has_its_traces_here() -> None:
    assert len(OWN) == 43
    measured = [claim for loaded in read_catalogue(SOURCES) for claim in loaded.source.claims
                if claim.measured_by == "Benchcard"]  # fmt: skip
    assert measured == OWN


def test_numbers_are_rounded_to_what_three_runs_can_bear() -> None:
    assert [rounded(number) for number in (13088.767, 533.107, 1.7866, 100.0)] == [
        Decimal("13090"), Decimal("533.1"), Decimal("1.787"), Decimal("100"),
    ]  # fmt: skip


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """The folder of a catalogue with one bundle beside it."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "mshipped1.zip").write_bytes(bundle_bytes())
    return tmp_path / "sources"


def test_a_first_start_records_what_ships_under_its_own_id_and_a_second_finds_it_there(
    database: Database, clock: StillClock, sources: Path, tmp_path: Path
) -> None:
    files = Files(tmp_path / "files")
    assert record_all(database, files, sources, clock) == ["mshipped1"]
    assert record_all(database, files, sources, clock) == []
    row = Measurements(database).one("mshipped1")
    assert (row.trust, row.created_by, row.job_id, row.claim_id) == (VERIFIED, "Benchcard", None, None)
    assert files.path(str(row.bundle_sha256)).read_bytes() == bundle_bytes()


def test_a_damaged_bundle_stops_the_start_with_its_name(
    database: Database, clock: StillClock, sources: Path, tmp_path: Path
) -> None:
    (sources.parent / FOLDER / "mshipped1.zip").write_bytes(bundle_bytes()[:-2000])
    with pytest.raises(SetupError, match=r"the shipped evidence mshipped1\.zip is damaged"):
        record_all(database, Files(tmp_path / "files"), sources, clock)


def test_a_newer_bundle_of_the_same_measurement_takes_its_place_and_no_other_measurements(
    database: Database, clock: StillClock, sources: Path, tmp_path: Path
) -> None:
    files, bundle = Files(tmp_path / "files"), sources.parent / FOLDER / "mshipped1.zip"
    record_all(database, files, sources, clock)
    shutil.copy(SOURCES.parent / FOLDER / "mn3mn2cwp.zip", bundle)
    assert record_all(database, files, sources, clock) == ["mshipped1"]
    assert Measurements(database).one("mshipped1").kind == "sweep"
    here = sa.update(MEASUREMENT).where(MEASUREMENT.c.id == "mshipped1")
    database.write(lambda session: session.connection().execute(here.values(created_by="Ana")))
    bundle.write_bytes(bundle_bytes())
    with pytest.raises(ConflictError, match="mshipped1 has the id of another measurement here"):
        record_all(database, files, sources, clock)

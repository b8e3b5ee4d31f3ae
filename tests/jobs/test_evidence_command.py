"""`benchcard evidence` and `benchcard verify` as scripts call them."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

from app.apart import bounded_memory, taken_memory
from app.cli import main
from app.db import Database
from app.jobs.measurements import record
from app.protocol.outcome import REPORT
from app.results.files import Files
from tests.conftest import migrate
from tests.jobs.bundles import with_another_log
from tests.jobs.factories import RANDOM, Queue, allow_all, queue_in
from tests.jobs.prepared import prepare
from tests.jobs.runs import attempt, plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import StillClock

    Capture = pytest.CaptureFixture[str]


@pytest.fixture
def installed(tmp_path: Path, clock: StillClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    """The queue of an installation that the command finds by its settings."""
    allow_all(monkeypatch)
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path))
    url = f"sqlite:///{tmp_path / 'benchcard.db'}"
    migrate(url)
    database = Database(url)
    yield queue_in(database, clock, tmp_path)
    database.close()


def measured(queue: Queue, folder: Path) -> str:
    of = plan()
    queue.submit(plan=of)
    job, epoch = queue.running()
    queue.log(job, epoch, 0, b"ready\n")
    report, traces = attempt(folder / "made", of)
    files, parts = Files(folder / "files"), {}
    data = {REPORT: report.model_dump_json().encode(), **{name: file.read_bytes() for name, file in traces.items()}}
    for name, content in data.items():
        with files.arriving(1 << 30) as arriving:
            arriving.write(content)
            parts[name] = arriving.keep().sha256
        queue.part(job, epoch, name, content)
    found = prepare(queue.database, files, job, parts)
    return queue.database.write(lambda session: record(session, found, job, epoch, "box", queue.clock.now(), RANDOM))


def test_a_measurement_is_written_as_a_bundle_that_verifies(installed: Queue, tmp_path: Path, capsys: Capture) -> None:
    measurement, target = measured(installed, tmp_path), tmp_path / "out.zip"
    assert main(["evidence", measurement, "--out", str(target)]) == 0
    assert main(["verify", str(target)]) == 0
    assert "every number follows from the traces of 3 runs" in capsys.readouterr().out


def test_a_bundle_with_another_byte_does_not_verify(installed: Queue, tmp_path: Path, capsys: Capture) -> None:
    measurement, target = measured(installed, tmp_path), tmp_path / "out.zip"
    main(["evidence", measurement, "--out", str(target)])
    target.write_bytes(with_another_log(target.read_bytes()))
    assert main(["verify", str(target)]) == 1
    assert "log.txt: its bytes are not those of the manifest" in capsys.readouterr().out


def test_a_measurement_that_is_not_there_is_said(installed: Queue, tmp_path: Path, capsys: Capture) -> None:
    assert main(["evidence", "m0"]) == 1
    assert "there is no measurement `m0`" in capsys.readouterr().err


def test_a_file_that_is_no_bundle_or_not_there_is_said(tmp_path: Path, capsys: Capture) -> None:
    assert main(["verify", str(tmp_path / "none.zip")]) == 2
    (tmp_path / "text.zip").write_text("no zip")
    assert main(["verify", str(tmp_path / "text.zip")]) == 1
    assert "no whole zip file" in capsys.readouterr().out


def test_a_folder_without_an_installation_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path / "nowhere"))
    assert main(["evidence", "m1"]) == 4
    assert f"there is no installation in {tmp_path / 'nowhere'}; name its data folder by BENCHCARD_DATA" in (
        capsys.readouterr().err
    )
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("words", [["import"], ["m1", "x.zip"]])
def test_half_an_import_is_told_how_it_goes(words: list[str], capsys: Capture) -> None:
    assert main(["evidence", *words]) == 2
    assert "benchcard evidence import FILE" in capsys.readouterr().err


def test_a_check_bounds_its_memory_and_not_that_of_what_follows(
    installed: Queue, tmp_path: Path, capsys: Capture
) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    bundle = tmp_path / "none.zip"
    bundle.write_bytes(b"PK")
    assert main(["verify", str(bundle)]) == 1
    assert capsys.readouterr().out
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    with bounded_memory(taken_memory() + (1 << 20)), pytest.raises(MemoryError):
        bytearray(1 << 30)
    assert len(bytearray(1 << 28)) == 1 << 28

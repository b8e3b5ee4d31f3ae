"""Bundles as another installation would have written them."""

from __future__ import annotations

import datetime as dt
import io
import json
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.jobs.crate import METADATA, metadata
from app.jobs.evidence import Asked, contents
from app.jobs.judged import judged
from app.jobs.numbers import compute
from app.jobs.rows import MeasurementRow
from app.results import bundle
from tests.compare.factories import row
from tests.jobs.runs import attempt, plan
from tests.jobs.test_judged import SAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.claims.schema import ClaimRow
    from app.protocol.outcome import Report
    from app.protocol.plan import Plan

DAY = dt.datetime(2026, 11, 30, 8, tzinfo=dt.UTC)


def files_of(
    folder: Path,
    of: Plan | None = None,
    *,
    with_claim: bool = True,
    claim: ClaimRow | None = None,
    change: Callable[[Report], Report] | None = None,
) -> dict[str, bytes | Path]:
    """Of `claim`, else of one that no catalogue has; `change` makes another report of it."""
    of, assumptions = of or plan(), ("prompts: uniform random token ids; the source states none",)
    report, traces = attempt(folder / "traces", of)
    report = change(report) if change else report
    numbers = compute(report, traces, of)
    claim = claim or (row(**SAME) if with_claim else None)
    verdict = judged(claim, report, numbers, assumptions) if claim else None
    stored = MeasurementRow(
        number=1, id="m1", job_id="j1", epoch=1, bundle_sha256=None, bundle_size=None,
        claim_id=claim.id if claim else None, card_id=None, kind=of.kind, report=json.loads(report.model_dump_json()),
        numbers=numbers, verdict=json.loads(verdict.model_dump_json()) if verdict else None,
        runs=6, usable=6, trust="runner", created_at=DAY, created_by="Ana", parts=(),
    )  # fmt: skip
    return contents(stored, Asked(of, assumptions), traces, claim, b"a line of the log\n")


def written(tmp_path: Path, files: dict[str, bytes | Path], name: str = "bundle.zip") -> Path:
    bundle.write(tmp_path / name, with_crate(files))
    return tmp_path / name


def with_crate(files: dict[str, bytes | Path]) -> dict[str, bytes | Path]:
    """With a crate of just these files, as whoever changes one of them would write it."""
    about = files.get("measurement.json")
    if METADATA not in files or not isinstance(about, bytes):
        return files
    others = {name: data for name, data in files.items() if name != METADATA}
    try:
        crate = metadata(json.loads(about), bundle.manifest(others))
    except (ValueError, RecursionError, KeyError, TypeError):
        return files
    return {**others, METADATA: json.dumps(crate).encode()}


def with_another_log(data: bytes) -> bytes:
    """The bundle with other bytes in one file than its manifest says."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as opened, zipfile.ZipFile(made, "w") as changed:
        for name in opened.namelist():
            changed.writestr(name, opened.read(name).swapcase() if name == "log.txt" else opened.read(name))
    return made.getvalue()


@cache
def bundle_bytes() -> bytes:
    """A whole bundle of a claim that no catalogue has."""
    with tempfile.TemporaryDirectory() as folder:
        return written(Path(folder), files_of(Path(folder))).read_bytes()

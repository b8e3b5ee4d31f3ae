"""A measurement as an evidence bundle (app.results.bundle), and a bundle checked on any machine: every hash, then every
number computed again from the traces. Pure but for the files."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from app.cards.export import to_yaml
from app.claims.schema import ClaimRow, Reproduction
from app.jobs.as_card import as_card
from app.jobs.crate import metadata
from app.jobs.judged import judged
from app.jobs.numbers import compute
from app.protocol.english import refusal
from app.protocol.outcome import REPORT, Report
from app.protocol.plan import Plan
from app.results import bundle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.jobs.rows import MeasurementRow

Json = dict[str, Any]
SAME = 1e-9  # share by which a number may differ and be the same: another numpy adds up in another order
MOST_DIFFERENCES = 100
TRACES = "traces/"


class Asked(NamedTuple):
    """What was to be measured, and what of it had to be taken for granted."""

    plan: Plan
    assumptions: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """A bundle whose hashes hold. `differences` say where its numbers are not those of its traces."""

    measurement: Json
    assumptions: tuple[str, ...]
    report: Report
    numbers: Json
    differences: tuple[str, ...]
    files: tuple[bundle.Listed, ...]


def contents(
    row: MeasurementRow, asked: Asked, traces: dict[str, Path], claim: ClaimRow | None, log: bytes
) -> dict[str, bytes | Path]:
    """The files of a measurement's bundle. A trace whose file is gone is left out, as its numbers say."""
    report = Report.model_validate_json(json.dumps(row.report))
    about = {
        "id": row.id,
        "kind": row.kind,
        "claim_id": row.claim_id,
        "card_id": row.card_id,
        "job_id": row.job_id,
        "trust": row.trust,
        "created_at": row.created_at.isoformat(),
        "created_by": row.created_by,
        "assumptions": asked.assumptions,
    }
    found: dict[str, bytes | Path] = {
        "measurement.json": _json(about),
        "plan.json": _json(asked.plan.model_dump(mode="json")),
        REPORT: _json(row.report),
        "numbers.json": _json(row.numbers),
    }
    if claim is not None:
        then = claim.model_copy(update={"reproduction": Reproduction()})  # what came of it later is no part of it
        found["claim.json"] = _json(then.model_dump(mode="json"))
        found["verdict.json"] = _json(judged(then, report, row.numbers, asked.assumptions).model_dump(mode="json"))
    for item in row.numbers["sets"]:
        card = as_card(report, item, row.claim_id, claim.axis if claim else None, row.created_at.date())
        found[f"cards/{item['side']}-{item['point']}.yaml"] = to_yaml(card).encode()
    found |= {f"{TRACES}{name}": file for name, file in traces.items() if file.exists()}
    if log:
        found["log.txt"] = log
    return found | {"ro-crate-metadata.json": _json(metadata(about, bundle.manifest(found)))}


def check(source: Path, folder: Path, most_bytes: int = bundle.MOST_BYTES) -> Checked:
    """Unpack a bundle into an empty folder and compute everything again. Raises BundleError where it is none, or where
    a hash or a file is wrong."""
    files = bundle.unpack(source, folder, most_bytes)
    about = _read(folder, "measurement.json")
    assumptions = _assumptions(about)
    plan, report = (_model(folder, name, kind) for name, kind in (("plan.json", Plan), (REPORT, Report)))
    said = _read(folder, "numbers.json")
    traces = {item.path.removeprefix(TRACES): folder / item.path for item in files if item.path.startswith(TRACES)}
    numbers = compute(report, traces, plan)
    differences = list(_differences("numbers", said, numbers))
    if (folder / "claim.json").exists():
        verdict = judged(_model(folder, "claim.json", ClaimRow), report, numbers, assumptions)
        there = _read(folder, "verdict.json") if (folder / "verdict.json").exists() else None
        later = set() if "assumptions" in about else {"assumptions"}  # a bundle from before they were kept
        differences += _differences("verdict", there, json.loads(verdict.model_dump_json(exclude=later)))
    unused = sorted(set(traces) - {run.trace for run in report.runs})
    differences += [f"{TRACES}{name}: no run of the report has this trace" for name in unused]
    return Checked(about, assumptions, report, numbers, tuple(differences[:MOST_DIFFERENCES]), tuple(files))


def _assumptions(about: Json) -> tuple[str, ...]:
    given = about.get("assumptions", [])
    if not isinstance(given, list) or len(given) > MOST_DIFFERENCES or not all(isinstance(item, str) for item in given):
        raise bundle.BundleError([bundle.Problem("measurement.json", "its `assumptions` are no list of sentences")])
    return tuple(given)


def _differences(path: str, said: Any, found: Any) -> Iterator[str]:
    if isinstance(said, dict) and isinstance(found, dict):
        for name in [*found, *(name for name in said if name not in found)]:
            yield from _differences(f"{path}.{name}", said.get(name), found.get(name))
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for place, (one, two) in enumerate(zip(said, found, strict=True)):
            yield from _differences(f"{path}[{place}]", one, two)
    elif not _same(said, found):
        yield f"{path}: the bundle says {_shown(said)}, its traces say {_shown(found)}"


def _same(one: Any, two: Any) -> bool:
    numbers = all(isinstance(item, int | float) and not isinstance(item, bool) for item in (one, two))
    return math.isclose(one, two, rel_tol=SAME) if numbers else type(one) is type(two) and one == two


def _shown(value: Any) -> str:
    return json.dumps(value)[:120]


def _read(folder: Path, name: str) -> Any:
    try:
        if (folder / name).stat().st_size > bundle.MOST_SMALL:
            raise bundle.BundleError([bundle.Problem(name, "is larger than any such file")])
        found = json.loads((folder / name).read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, bundle.BundleError):
            raise
        raise bundle.BundleError([bundle.Problem(name, f"is no JSON: {error}")]) from error
    if not isinstance(found, dict):
        raise bundle.BundleError([bundle.Problem(name, "is no JSON object")])
    return found


def _model(folder: Path, name: str, kind: Any) -> Any:
    _read(folder, name)
    try:
        return kind.model_validate_json((folder / name).read_bytes())
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, item['loc']))}: {refusal(item)}" for item in error.errors()[:20]]
        raise bundle.BundleError([bundle.Problem(name, text) for text in problems]) from error


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()

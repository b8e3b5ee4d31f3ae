"""A measurement as an evidence bundle (app.results.bundle), and a bundle checked on any machine: every hash, then all
that follows from the traces computed again and compared. Pure but for the files."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import AwareDatetime, Field

from app.cards.export import to_yaml
from app.cards.load import read_bytes
from app.claims.schema import ClaimRow, Reproduction
from app.jobs.as_card import as_card
from app.jobs.crate import METADATA, metadata
from app.jobs.judged import judged
from app.jobs.numbers import compute
from app.jobs.readme import readme
from app.jobs.strictly import read_model, read_object
from app.protocol.outcome import REPORT, Report
from app.protocol.plan import JobKind, Plan
from app.protocol.wire import Text, Wire
from app.results import bundle

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator
    from pathlib import Path

    from app.jobs.rows import MeasurementRow

Json = dict[str, Any]
SAME = 1e-9  # share by which a number may differ and be the same: another numpy adds up in another order
MOST_DIFFERENCES = 100
TRACES = "traces/"
AGREEMENT = "agreement"
OUTPUTS, NEWER_OF_RUNS = "outputs", "failures"  # older bundles have none


class Asked(NamedTuple):
    """What was to be measured, and what of it had to be taken for granted."""

    plan: Plan
    assumptions: tuple[str, ...]


class About(Wire):
    """measurement.json. A bundle from before assumptions were kept has none."""

    id: Text
    kind: JobKind
    claim_id: Text | None
    card_id: Text | None
    job_id: Text | None
    trust: Text
    created_at: AwareDatetime
    created_by: Text
    assumptions: Annotated[tuple[Text, ...], Field(max_length=MOST_DIFFERENCES)] = ()


@dataclass(frozen=True)
class Checked:
    """A bundle whose hashes hold. `differences` say where it is not what its traces give; `on_trust` what of it nobody
    can compute again."""

    measurement: About
    report: Report
    numbers: Json
    differences: tuple[str, ...]
    files: tuple[bundle.Listed, ...]
    on_trust: tuple[str, ...]


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
    found |= _cards(report, row.numbers, row.claim_id, claim, row.created_at.date())
    found |= {f"{TRACES}{name}": file for name, file in traces.items() if file.exists()}
    if log:
        found["log.txt"] = log
    found["README.md"] = readme(row.id, (*found, METADATA)).encode()
    return found | {METADATA: _json(metadata(about, bundle.manifest(found)))}


def _cards(
    report: Report, numbers: Json, claim_id: str | None, claim: ClaimRow | None, day: dt.date
) -> dict[str, bytes]:
    axis = claim.axis if claim else None
    return {
        f"cards/{item['side']}-{item['point']}.yaml": to_yaml(as_card(report, item, claim_id, axis, day)).encode()
        for item in numbers["sets"]
    }


def check(source: Path, folder: Path, most_bytes: int = bundle.MOST_BYTES) -> Checked:
    """Unpack a bundle into an empty folder and compute everything again. Raises BundleError where it is none, or where
    a hash or a file is wrong."""
    files = bundle.unpack(source, folder, most_bytes)
    about = read_model(folder, "measurement.json", About)
    plan, report = read_model(folder, "plan.json", Plan), read_model(folder, REPORT, Report)
    said = read_object(folder, "numbers.json")
    names = {item.path for item in files}
    traces = {name.removeprefix(TRACES): folder / name for name in names if name.startswith(TRACES)}
    claim = read_model(folder, "claim.json", ClaimRow) if "claim.json" in names else None
    numbers = compute(report, traces, plan)
    differences = [
        *_differences("numbers", said, _as_then(said, numbers)),
        *_of_measurement(about, plan, claim),
        *_of_verdict(folder, names, about, report, numbers, claim),
        *_of_cards(folder, names, _cards(report, numbers, about.claim_id, claim, about.created_at.date())),
        *_of_crate(folder, names, files),
    ]
    used = {run.trace for run in report.runs} | {run.result for run in report.tool_runs}
    differences += [f"{TRACES}{name}: no run of the report has this trace" for name in sorted(set(traces) - used)]
    on_trust = tuple(text for name, text in bundle.ON_TRUST.items() if name in names or name == TRACES)
    return Checked(about, report, numbers, tuple(differences[:MOST_DIFFERENCES]), tuple(files), on_trust)


def recorded_at(source: Path) -> dt.datetime | None:
    """When the measurement of a bundle that was checked before was recorded; None where the file is gone."""
    try:
        text = b"".join(bundle.one_file(source, "measurement.json"))
        return About.model_validate_json(text).created_at
    except (*bundle.BROKEN, KeyError):
        return None


def _as_then(said: Json, numbers: Json) -> Json:
    """The numbers without what is computed since the bundle was written: it says nothing of that, so nothing false."""
    numbers = numbers if OUTPUTS in said else _without(numbers, OUTPUTS)
    if said.get("format") == 1 and AGREEMENT not in said:  # the same in both, but for an agreement
        numbers = {**numbers, "format": 1}
    if f'"{NEWER_OF_RUNS}": [' in json.dumps(said):
        return numbers
    then = [{**item, "runs": [_without(run, NEWER_OF_RUNS) for run in item["runs"]]} for item in numbers["sets"]]
    return {**numbers, "sets": then}


def _without(given: Json, key: str) -> Json:
    return {name: value for name, value in given.items() if name != key}


def _of_measurement(about: About, plan: Plan, claim: ClaimRow | None) -> Iterator[str]:
    if about.kind != plan.kind:
        yield f"measurement.kind: the bundle says {_shown(about.kind)}, its plan is a {_shown(plan.kind)}"
    if claim is not None and claim.id != (about.claim_id or about.card_id):
        of = about.claim_id or about.card_id
        yield f"claim.json: it is the claim {_shown(claim.id)}, the measurement is of {_shown(of)}"


def _of_verdict(
    folder: Path, names: set[str], about: About, report: Report, numbers: Json, claim: ClaimRow | None
) -> Iterator[str]:
    there = read_object(folder, "verdict.json") if "verdict.json" in names else None
    if claim is None:
        if there is not None:
            yield "verdict.json: there is no claim.json that it could be a verdict on"
        return
    try:
        verdict = judged(claim, report, numbers, about.assumptions)
    except (ArithmeticError, ValueError) as error:
        problem = bundle.Problem("claim.json", f"nothing can be set against it: {type(error).__name__}")
        raise bundle.BundleError([problem]) from error
    older = {"assumptions"} if "assumptions" not in about.model_fields_set else set()
    older |= {OUTPUTS} if there is not None and OUTPUTS not in there else set()
    yield from _differences("verdict", there, json.loads(verdict.model_dump_json(exclude=older)))


def _of_cards(folder: Path, names: set[str], wanted: dict[str, bytes]) -> Iterator[str]:
    for name in sorted({name for name in names if name.startswith("cards/")} - wanted.keys()):
        yield f"{name}: the plan has no such point"
    for name, data in wanted.items():
        if name not in names:
            yield f"{name}: is missing"
            continue
        given = (folder / name).read_bytes()
        if given == data:
            continue
        read = read_bytes(given, name)
        if read.card is None:
            yield from (f"{name}: {item.message}" for item in read.errors[:5])
            continue
        known = read_bytes(data, name)
        if known.card is None:  # of a report or a claim that says what nobody's would
            yield from (f"{name}: no card can say what was measured: {item.message}" for item in known.errors[:5])
            continue
        yield from _differences(name, read.card.model_dump(mode="json"), known.card.model_dump(mode="json"))


def _of_crate(folder: Path, names: set[str], files: list[bundle.Listed]) -> Iterator[str]:
    if METADATA not in names:
        yield f"{METADATA}: is missing"
        return
    others = sorted((item for item in files if item.path != METADATA), key=lambda item: item.path)
    wanted = metadata(read_object(folder, "measurement.json"), others)
    yield from _differences(METADATA, read_object(folder, METADATA), wanted)


def _differences(path: str, said: Any, found: Any) -> Iterator[str]:
    if isinstance(said, dict) and isinstance(found, dict):
        for name in found:
            yield from _differences(f"{path}.{name}", said.get(name), found[name])
        for name in said.keys() - found.keys():
            yield f"{path}.{_name(name)}: the bundle says {_shown(said[name])}, its report and traces say nothing of it"
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for place, (one, two) in enumerate(zip(said, found, strict=True)):
            yield from _differences(f"{path}[{place}]", one, two)
    elif not _same(said, found):
        yield f"{path}: the bundle says {_shown(said)}, its report and traces say {_shown(found)}"


def _same(one: Any, two: Any) -> bool:
    if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in (one, two)):
        return type(one) is type(two) and bool(one == two)
    try:
        return math.isclose(one, two, rel_tol=SAME)
    except OverflowError:  # a whole number beyond every other
        return bool(one == two)


def _shown(value: Any) -> str:
    return json.dumps(value)[:120]


def _name(key: str) -> str:
    return json.dumps(key)[1:-1][:60]


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()

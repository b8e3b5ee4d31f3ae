"""Whatever a bundle's files say, checking it tells what is wrong or what differs, and never breaks."""

from __future__ import annotations

import contextlib
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.jobs.evidence import check
from app.results.bundle import BundleError
from tests.jobs.bundles import files_of, written

NAMES = ("report.json", "plan.json", "claim.json", "measurement.json", "numbers.json", "verdict.json")
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 2**53, 10**400, 1e308, "", "x", "\x00", "\u202e", "1e999999999", "9" * 5000, [], {}, [[]],
     {"a": 1}, "NaN", "inf", "sweep", "b", 1.5, "m" * 3000]
)  # fmt: skip


@cache
def _files() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        found = files_of(Path(folder))
        return {name: data if isinstance(data, bytes) else data.read_bytes() for name, data in found.items()}


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value: what it stands in, and its key there."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    here = [(value, key) for key, _ in pairs]
    return [*here, *(place for inner, key in here for place in _places(inner[key]))]


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(NAMES), at=st.floats(0, 0.999), odd=ODD, both=st.booleans())
def test_a_bundle_with_anything_anywhere_is_refused_or_told_apart(name: str, at: float, odd: Any, both: bool) -> None:
    files = dict(_files())
    value = json.loads(files[name])
    places = _places(value)
    inner, key = places[int(at * len(places))]
    inner[key] = odd
    files[name] = json.dumps(value).encode()
    if both and name == "report.json":  # what was asked for is what was done, however odd
        files["plan.json"] = json.dumps(value["plan"]).encode()
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(BundleError):
        source = written(Path(folder), dict(files))
        check(source, Path(folder) / "unpacked")

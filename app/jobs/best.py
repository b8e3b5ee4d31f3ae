"""The question that a sweep answers: the most tokens per GPU at more than N tok/s for each user. Pure.

Only measured loads answer it (app.compare.pareto): nothing is known between two of them, and nothing beyond the last.
A load whose runs have too few requests for a P90 has no P90 interactivity and is left out, by name.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from app.compare.pareto import best_above
from app.compare.words import capital, sentence
from app.errors import InvalidInputError
from app.jobs.numbers import AT_END, sweep_points
from app.language import _, number
from app.protocol.english import measured
from runners.load.statistics import few

Json = dict[str, Any]
Range = tuple[float, float]
NUMBER = re.compile(r"\d{1,7}(?!\.000)(\.\d{1,6})?", re.ASCII)  # 1.000 is a thousand to some
UNIT = "tok/s/user"


@dataclass(frozen=True)
class BestLoad:
    """A measured load: medians over its repeats, and the lowest and highest of these where there are several.

    Throughput is in tok/s per GPU, of the whole machine where it has none; `total` counts input and output tokens.
    `interactivity` is P90 interactivity, the slow tail, in tok/s/user; `ttft_ms` the median. `requests` and those that
    `failed` are of all runs; `counted_at_end`: tokens were asked for once a request, not with each event.
    """

    load: str
    repeats: int
    total: float
    total_range: Range | None
    output: float
    output_range: Range | None
    interactivity: float
    interactivity_range: Range | None
    ttft_ms: float | None
    requests: int
    failed: int
    counted_at_end: bool


@dataclass(frozen=True)
class BestAnswer:
    """`best` is None where no measured load is above the limit; `left_out`: loads that could not be asked, and why."""

    above: float
    per_gpu: bool
    best: BestLoad | None
    text: str
    left_out: tuple[str, ...]


def read_above(text: str) -> float:
    """A limit as it was typed, in tok/s/user. Raises InvalidInputError."""
    found = float(text) if NUMBER.fullmatch(text) else 0.0
    if found <= 0:
        message = _("`{text}` is no speed of a user: a number above 0 in tok/s is expected, such as 50 or 12.5").format(
            text=text[:20]
        )
        raise InvalidInputError(message, [{"field": "above", "message": message}])
    return found


def no_p90(item: Json) -> str:
    """Why a load that is a result has no P90 interactivity to speak of; "" where it has, or is no result."""
    return few(90, int(item["tpot_ms"]["count"])) if item["tpot_ms"] else ""


def best(kind: str, numbers: Json, above: float) -> BestAnswer:
    """Of a sweep's numbers. Raises InvalidInputError for a measurement of another kind."""
    if kind != "sweep":
        message = _("only a sweep of several loads has a best one; this measurement is none")
        raise InvalidInputError(message, [{"field": "above", "message": message}])
    sets = {item["load"]: item for item in numbers["sets"]}
    left_out = {load: why for load, item in sets.items() if (why := _why_not(item))}
    points = [point for point in sweep_points(numbers["sets"]) if point.label not in left_out]
    per_gpu = any(item["gpus"] for item in sets.values())
    unit = "tok/s/GPU" if per_gpu else "tok/s"
    found = best_above(points, above, unit)
    load = _load(sets[found.point.label]) if found.point else None
    text = capital(sentence(found.text))
    return BestAnswer(above, per_gpu, load, text, tuple(f"{name}: {why}" for name, why in left_out.items()))


def _why_not(item: Json) -> str:
    return _("no result") if item["reasons"] else no_p90(item)


def _load(item: Json) -> BestLoad:
    share = item["gpus"] or 1
    ttft = (item["ttft_ms"] or {}).get("median")
    return BestLoad(
        load=item["load"],
        repeats=len(item["runs"]),
        total=float(item["total_tok_s"]) / share,
        total_range=_range(item, "total_tok_s", share),
        output=float(item["output_tok_s"]) / share,
        output_range=_range(item, "output_tok_s", share),
        interactivity=float(item["interactivity_p90_slow"]),
        interactivity_range=_range(item, "interactivity_p90_slow", 1),
        ttft_ms=float(ttft) if ttft is not None and math.isfinite(float(ttft)) else None,
        requests=int(item["requests"]),
        failed=int(item["failed"]),
        counted_at_end=item["load"].endswith(AT_END),
    )


def _range(item: Json, name: str, share: int) -> Range | None:
    found = item["spread"].get(name)
    return (float(found["lowest"]) / share, float(found["highest"]) / share) if found else None


def unsteady(found: BestAnswer) -> str:
    """What a reader must know of a load whose slowest run is not above the limit; "" for every other."""
    within = found.best.interactivity_range if found.best else None
    if within is None or within[0] > found.above:
        return ""
    return _("In its slowest run it is not above {above} {unit}: {first}.").format(
        above=number(found.above, ",.15g"), unit=UNIT, first=measured(within[0])
    )

"""Whether the two servers of an A/B job gave the same outputs, request by request. Pure but for reading traces.

    {pairs, compared, equal, other_length, by: "token ids" | "text", points: [{point, load, ...the same}], text}

A pair is one request of one load and repeat, sent to both servers with the same prompt (the same seed and serial
number, at temperature 0). A trace keeps no text; it keeps the SHA-256 of the token ids of each output, or of its text
where the server sent no ids, and that is what is compared. Pairs with a failed request, without a digest, with digests
of different things, or of servers that were asked in different ways are not compared, and counted as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.language import N_, _, number
from runners.load import trace_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from runners.load.trace import Trace

Json = dict[str, Any]
IDS = "token_ids"
MEANS = N_(
    "Equal outputs say that nothing changed on these prompts. Unequal ones do not say which is worse, nor that the "
    "change made them: sums in another order turn greedy decoding where two tokens are nearly a tie, on one server too."
)


@dataclass(frozen=True)
class _Side:
    """What of a run's trace is compared: of each request its digest and length, None where it has none."""

    asked: tuple[Any, ...]
    outputs: dict[int, tuple[str, str, int] | None]  # by index: kind of digest, digest, length in characters


def outputs(sets: Sequence[Json], traces: Mapping[str, Path]) -> Json:
    """Of all loads. Only runs that are results are compared: of others the trace may not be readable at all."""
    points = list(_points(sets, traces))
    whole = {name: sum(point[name] for point in points) for name in ("pairs", "compared", "equal", "other_length")}
    kinds = sorted({kind for point in points for kind in point.pop("kinds")})
    found: Json = {**whole, "by": " and ".join(kinds) or None, "points": points}
    return {**found, "text": said(found)}


def said(found: Json) -> str:
    """In a sentence."""
    if not found["compared"]:
        return _("Outputs of the two servers could not be compared: no request of both has a digest of the same kind.")
    by = _(" and ").join(_(kind) for kind in str(found["by"]).split(" and "))
    parts = [
        _("{equal} of {compared} pairs of outputs are equal, by {by}").format(
            equal=number(found["equal"]), compared=number(found["compared"]), by=by
        )
    ]
    if found["other_length"]:
        parts.append(_("{count} differ in length").format(count=number(found["other_length"])))
    if open_ := found["pairs"] - found["compared"]:
        parts.append(_("{count} further pairs could not be compared").format(count=number(open_)))
    return f"{'; '.join(parts)}."


def _points(sets: Sequence[Json], traces: Mapping[str, Path]) -> Iterator[Json]:
    for one in (item for item in sets if item["side"] == "a"):
        two = next(item for item in sets if (item["side"], item["point"]) == ("b", one["point"]))
        other = {run["repeat"]: run for run in two["runs"] if run["valid"]}
        counts = {"pairs": 0, "compared": 0, "equal": 0, "other_length": 0}
        kinds: set[str] = set()
        for run in one["runs"]:
            if run["valid"] and run["repeat"] in other:
                sides = (_read(traces[run["trace"]]), _read(traces[other[run["repeat"]]["trace"]]))
                kinds |= _compare(*sides, counts)
        yield {"point": one["point"], "load": one["load"], **counts, "kinds": kinds}


def _read(file: Path) -> _Side:
    trace = trace_file.read(file)
    asked = tuple(trace.meta.get(name) for name in ("seed", "endpoint", "vocabulary", "refused"))
    indices = trace.numbers["index"].tolist()
    return _Side(asked, {index: _output(trace, place) for place, index in enumerate(indices)})


def _output(trace: Trace, place: int) -> tuple[str, str, int] | None:
    digest = trace.words["output_sha256"][place]
    if not trace.ok[place] or digest is None:
        return None
    kind = N_("token ids") if trace.words["counting"][place] == IDS else N_("text")
    return kind, digest, int(trace.numbers["text_length"][place])


def _compare(one: _Side, two: _Side, counts: dict[str, int]) -> set[str]:
    """Add the pairs of a repeat; which kinds of digest were compared."""
    shared = one.outputs.keys() & two.outputs.keys()
    counts["pairs"] += len(shared)
    kinds = set()
    for index in shared if one.asked == two.asked else ():
        a, b = one.outputs[index], two.outputs[index]
        if a is None or b is None or a[0] != b[0]:
            continue
        counts["compared"] += 1
        counts["equal"] += a[1] == b[1]
        counts["other_length"] += a[2] != b[2]
        kinds.add(a[0])
    return kinds

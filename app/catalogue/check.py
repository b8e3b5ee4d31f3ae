"""What types cannot promise: numbers and units that fit, unique ids, references that resolve, rounds that agree. Pure.

Every check looks only at fields that could be read, so that what is wrong elsewhere neither hides a problem nor makes
one up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.axes import AXES
from app.catalogue.numbers import odd_numbers
from app.catalogue.parts import UNKNOWN
from app.claims.conditions import FIELDS, HELD_BY_SCRIPT, values
from app.yaml_tree import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from app.catalogue.parts import Parts
    from app.claims.schema import Claim
    from app.yaml_tree import Path

Finding = tuple["Path", str]


@dataclass(frozen=True)
class Known:
    """The claims that there are. Where a file could not be read at all nobody can say that one is missing."""

    ids: frozenset[str]
    complete: bool = True

    def lacks(self, claim: str) -> bool:
        return self.complete and claim not in self.ids


def check_all(files: Sequence[Parts], known: Known) -> None:
    """Give each file's document the problems that show only across values or files."""
    sources: dict[str, str] = {}
    claims: dict[str, str] = {}
    whole = {part.item.id: part.item for file in files for part in file.claims.values() if not part.unsound}
    said: dict[str, dict[str, tuple[str, str]]] = {}
    for file in files:
        findings = [*_ids(file, sources, claims), *_claims(file), *_rounds(file), *_references(file, known)]
        for path, message in [*findings, *_shapes(file), *_repetitions(file, whole, said)]:
            file.document.problem(path, message)


def _ids(file: Parts, sources: dict[str, str], claims: dict[str, str]) -> Iterator[Finding]:
    if file.id is not None:
        if file.id in sources:
            yield ("id",), f"`{shown(file.id)}` is already the source of {sources[file.id]}"
        sources[file.id] = file.document.file
    for index, claim_id in file.claim_ids().items():
        if claim_id in claims:
            yield ("claims", index, "id"), f"`{claim_id}` is already a claim of `{shown(claims[claim_id])}`"
        claims[claim_id] = file.id or file.document.file


def _claims(file: Parts) -> Iterator[Finding]:
    for index, part in file.claims.items():
        for needs, rule in RULES:
            if not needs & part.unsound:
                yield from ((("claims", index, *path), text) for path, text in rule(part.item))
        for path, text in odd_numbers(part.item, file.document.data["claims"][index]):
            yield ("claims", index, *path), text


def _axis(claim: Claim) -> Iterator[Finding]:
    if claim.axis not in AXES:
        yield ("axis",), f"`{claim.axis}` is not in the axis registry (app/axes)"


def _unit_of_axis(claim: Claim) -> Iterator[Finding]:
    axis = AXES.get(claim.axis)
    if axis and claim.kind == "absolute" and claim.unit not in axis.units:
        yield ("unit",), f"`{shown(claim.unit)}` is no unit of {claim.axis}; it takes {', '.join(axis.units)}"


def _unit_of_kind(claim: Claim) -> Iterator[Finding]:
    if claim.kind == "ratio" and claim.unit != "x":
        yield ("unit",), "a ratio has the unit `x`"
    if claim.kind == "change" and claim.unit not in {"%", "standard errors"}:
        yield ("unit",), "a change has the unit `%`"


def _some_number(claim: Claim) -> Iterator[Finding]:
    numbers = (claim.value, claim.low, claim.high, claim.after)
    if all(number is None for number in numbers) and not claim.written:
        text = "a claim needs a number: value, low and high, before and after, or `written` where it is no number"
        yield ("value",), text


def _both_limits(claim: Claim) -> Iterator[Finding]:
    if (claim.low is None) != (claim.high is None):
        yield ("low",), "a range needs both `low` and `high`"


def _limits_in_order(claim: Claim) -> Iterator[Finding]:
    if claim.low is not None and claim.high is not None and claim.low > claim.high:
        yield ("low",), "is above `high`"


def _end_points(claim: Claim) -> Iterator[Finding]:
    if (claim.before is None) != (claim.after is None) or (claim.before is not None and not claim.points_unit):
        yield ("before",), "end points come as `before`, `after` and `points_unit`"


def _divisor(claim: Claim) -> Iterator[Finding]:
    if claim.kind != "absolute" and claim.baseline.kind == "none":
        yield ("baseline",), "a ratio or change divides by something: say what, or `not_stated`"


def _forced(claim: Claim) -> Iterator[Finding]:
    forced = claim.acceptance.kind in ("simulated", "synthetic")
    if not forced and any(item.kind == "simulated_acceptance" for item in claim.caveats):
        text = (
            "says simulated, the acceptance says otherwise; what a source leaves open is the caveat `acceptance_open`"
        )
        yield ("caveats",), text


# Each rule of a claim with the fields that it reads. UNKNOWN: it complains of a field that is not there.
RULES: tuple[tuple[set[str], Callable[[Claim], Iterator[Finding]]], ...] = (
    ({"axis"}, _axis),
    ({"axis", "kind", "unit"}, _unit_of_axis),
    ({"kind", "unit"}, _unit_of_kind),
    ({"value", "low", "high", "after", "written", UNKNOWN}, _some_number),
    ({"low", "high", UNKNOWN}, _both_limits),
    ({"low", "high"}, _limits_in_order),
    ({"before", "after", "points_unit", UNKNOWN}, _end_points),
    ({"kind", "baseline"}, _divisor),
    ({"acceptance", "caveats"}, _forced),
)


def _rounds(file: Parts) -> Iterator[Finding]:
    known = {part.item.id for part in file.rounds.values() if "id" not in part.unsound}
    sure = not any("id" in part.unsound for part in file.rounds.values())
    seen: set[str] = set()
    for index, part in file.rounds.items():
        if part.item.id in seen and "id" not in part.unsound:
            yield ("rounds", index, "id"), f"`{shown(part.item.id)}` is already a round of this file"
        seen.add(part.item.id)
        for name in sorted(set(part.item.varies or ()) - set(FIELDS)):
            yield ("rounds", index, "varies"), f"`{shown(name)}` is no condition field; they are {', '.join(FIELDS)}"
    members: dict[str, list[tuple[int, Claim]]] = {}
    for number, member in file.claims.items():
        of = member.item.round
        if of and of not in known and sure:
            yield ("claims", number, "round"), f"`{of}` is not among this file's rounds"
        elif of and not member.unsound:
            members.setdefault(of, []).append((number, member.item))
    for part in file.rounds.values():
        if not part.unsound:
            yield from _agreement(members.get(part.item.id, ()), set(part.item.varies))


def _agreement(members: Sequence[tuple[int, Claim]], varies: set[str]) -> Iterator[Finding]:
    """Within a round a field that is held equal has one stated value at most."""
    first: dict[str, tuple[str, str]] = {}
    for index, claim in members:
        for name, value in values(claim).items():
            if name in varies or value is None:
                continue
            said, by = first.setdefault(name, (value, claim.id))
            if said != value:
                both = f"this says `{shown(value)}` and {by} says `{shown(said)}`"
                yield ("claims", index, "conditions"), f"round `{claim.round}` holds {name} equal, but {both}"


def _repetitions(
    file: Parts, known: Mapping[str, Claim], said: dict[str, dict[str, tuple[str, str]]]
) -> Iterator[Finding]:
    """The author's code and script give every repetition of a claim the same conditions, but for the machine's own."""
    for index, part in file.claims.items():
        claim, original = part.item, known.get(part.item.repeats or "")
        if original is None or part.unsound:
            continue
        if claim.axis != original.axis:
            yield ("claims", index, "repeats"), f"`{original.id}` is on the axis {original.axis}"
        first = said.setdefault(original.id, {})
        for member in (original, claim):
            for name, value in values(member).items():
                if name not in HELD_BY_SCRIPT or value is None:
                    continue
                before, by = first.setdefault(name, (value, member.id))
                if before != value:
                    both = f"{name} is `{shown(value)}` and {by} says `{shown(before)}`"
                    yield ("claims", index, "conditions"), f"repeats `{original.id}` by the same script, but {both}"


def _references(file: Parts, known: Known) -> Iterator[Finding]:
    for path, claim_id in _mentions(file):
        if known.lacks(claim_id):
            yield path, f"`{claim_id}` is no claim of the catalogue"


def _mentions(file: Parts) -> Iterator[tuple[Path, str]]:
    """Every claim id that the file names, with its place."""
    for index, part in file.claims.items():
        yield from ((("claims", index, key), value) for key, value in _named_by(part.item))
    for name, remarks in file.remarks.items():
        for index, remark in remarks.items():
            yield from (((name, index, "claims"), value) for value in remark.item.claims or ())
    for number, ladder in file.ladders.items():
        for index, step in enumerate(ladder.item.steps or ()):
            yield ("ladders", number, "steps", index, "claim"), step.claim
    for number, table in file.tables.items():
        for index, row in enumerate(table.item.rows or ()):
            yield from ((("tables", number, "rows", index), value) for cell in row.cells for value in cell)


def _named_by(claim: Claim) -> Iterator[tuple[str, str]]:
    named = {"supersedes": claim.supersedes, "repeats": claim.repeats, "end_to_end": claim.end_to_end}
    yield from ((key, value) for key, value in named.items() if value)
    if claim.baseline and claim.baseline.claim:
        yield "baseline", claim.baseline.claim
    yield from (("equal_terms", value) for value in claim.equal_terms or ())


def _shapes(file: Parts) -> Iterator[Finding]:
    """A ladder breaks after one of its own steps, and a row is as wide as its table."""
    own = set(file.claim_ids().values())
    sure = all("id" not in part.unsound for part in file.claims.values())
    for number, ladder in file.ladders.items():
        if ladder.unsound & {"steps", "breaks"}:
            continue
        steps = {step.claim for step in ladder.item.steps}
        for index, gap in enumerate(ladder.item.breaks):
            if gap.after not in steps or (sure and gap.after not in own):
                yield ("ladders", number, "breaks", index, "after"), f"`{gap.after}` is no step of this ladder"
    for number, table in file.tables.items():
        if table.unsound & {"rows", "columns"}:
            continue
        for index, row in enumerate(table.item.rows):
            if len(row.cells) != len(table.item.columns):
                text = f"has {len(row.cells)} cells where the table has {len(table.item.columns)} columns"
                yield ("tables", number, "rows", index), text

"""What a single file cannot promise alone: ids are unique, every reference resolves, a round's members agree. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.conditions import FIELDS, HELD_BY_SCRIPT, values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.catalogue.schema import Source
    from app.claims.schema import Claim
    from app.yaml_tree import Document, Path, Problem

Finding = tuple["Path", str]


def check_references(read: Sequence[tuple[Document, Source]]) -> list[Problem]:
    """All problems that show only across values or files, each at its place."""
    sources: dict[str, str] = {}
    claims: dict[str, str] = {}
    found: list[Problem] = []
    for document, source in read:
        findings = [*_ids(source, document.file, sources, claims), *_rounds(source)]
        for index, claim in enumerate(source.claims):
            findings += [(("claims", index, *path), text) for path, text in check_claim(claim)]
        found += _report(document, findings)
    known = {claim.id: claim for _, source in read for claim in source.claims}
    said: dict[str, dict[str, tuple[str, str]]] = {}
    for document, source in read:
        found += _report(document, [*_references(source, claims), *_repetitions(source, known, said)])
    return found


def _report(document: Document, findings: Sequence[Finding]) -> list[Problem]:
    before = len(document.problems)
    for path, message in findings:
        document.problem(path, message)
    return document.problems[before:]


def _ids(source: Source, file: str, sources: dict[str, str], claims: dict[str, str]) -> Iterator[Finding]:
    if source.id in sources:
        yield ("id",), f"`{source.id}` is already the source of {sources[source.id]}"
    sources[source.id] = file
    for index, claim in enumerate(source.claims):
        if claim.id in claims:
            yield ("claims", index, "id"), f"`{claim.id}` is already a claim of `{claims[claim.id]}`"
        claims[claim.id] = source.id


def check_claim(claim: Claim) -> Iterator[Finding]:
    """What the types of a claim cannot say."""
    axis = AXES.get(claim.axis)
    if axis is None:
        yield ("axis",), f"`{claim.axis}` is not in the axis registry (app/axes)"
    elif claim.kind == "absolute" and claim.unit not in axis.units:
        yield ("unit",), f"`{claim.unit}` is no unit of {claim.axis}; it takes {', '.join(axis.units)}"
    if claim.kind == "ratio" and claim.unit != "x":
        yield ("unit",), "a ratio has the unit `x`"
    if claim.kind == "change" and claim.unit not in {"%", "standard errors"}:
        yield ("unit",), "a change has the unit `%`"
    numbers = (claim.value, claim.low, claim.high, claim.after)
    if all(number is None for number in numbers) and not claim.written:
        yield (
            ("value",),
            "a claim needs a number: value, low and high, before and after, or `written` where it is no number",
        )
    if (claim.low is None) != (claim.high is None):
        yield ("low",), "a range needs both `low` and `high`"
    if claim.low is not None and claim.high is not None and claim.low > claim.high:
        yield ("low",), "is above `high`"
    if (claim.before is None) != (claim.after is None) or (claim.before is not None and not claim.points_unit):
        yield ("before",), "end points come as `before`, `after` and `points_unit`"
    if claim.kind != "absolute" and claim.baseline.kind == "none":
        yield ("baseline",), "a ratio or change divides by something: say what, or `not_stated`"


def _rounds(source: Source) -> Iterator[Finding]:
    rounds = {item.id: item for item in source.rounds}
    for index, item in enumerate(source.rounds):
        for name in sorted(set(item.varies) - set(FIELDS)):
            yield ("rounds", index, "varies"), f"`{name}` is no condition field; they are {', '.join(FIELDS)}"
    members: dict[str, list[tuple[int, Claim]]] = {}
    for index, claim in enumerate(source.claims):
        if claim.round and claim.round not in rounds:
            yield ("claims", index, "round"), f"`{claim.round}` is not among this file's rounds"
        elif claim.round:
            members.setdefault(claim.round, []).append((index, claim))
    for name, claims in members.items():
        yield from _agreement(claims, set(rounds[name].varies))


def _agreement(members: Sequence[tuple[int, Claim]], varies: set[str]) -> Iterator[Finding]:
    """Within a round a field that is held equal has one stated value at most."""
    first: dict[str, tuple[str, str]] = {}
    for index, claim in members:
        for name, value in values(claim).items():
            if name in varies or value is None:
                continue
            said, by = first.setdefault(name, (value, claim.id))
            if said != value:
                text = f"round `{claim.round}` holds {name} equal, but this says `{value}` and {by} says `{said}`"
                yield ("claims", index, "conditions"), text


def _repetitions(
    source: Source, known: dict[str, Claim], said: dict[str, dict[str, tuple[str, str]]]
) -> Iterator[Finding]:
    """The author's code and script give every repetition of a claim the same conditions, but for the machine's own."""
    for index, claim in enumerate(source.claims):
        original = known.get(claim.repeats or "")
        if original is None:
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
                    text = (
                        f"repeats `{original.id}` by the same script, but {name} is `{value}` and {by} says `{before}`"
                    )
                    yield ("claims", index, "conditions"), text


def _references(source: Source, known: dict[str, str]) -> Iterator[Finding]:
    own = {claim.id for claim in source.claims}
    for path, claim_id in _mentions(source):
        if claim_id not in known:
            yield path, f"`{claim_id}` is no claim of the catalogue"
    for number, ladder in enumerate(source.ladders):
        steps = {step.claim for step in ladder.steps}
        for index, gap in enumerate(ladder.breaks):
            if gap.after not in steps or gap.after not in own:
                yield ("ladders", number, "breaks", index, "after"), f"`{gap.after}` is no step of this ladder"
    for number, table in enumerate(source.tables):
        for index, row in enumerate(table.rows):
            if len(row.cells) != len(table.columns):
                text = f"has {len(row.cells)} cells where the table has {len(table.columns)} columns"
                yield ("tables", number, "rows", index), text


def _mentions(source: Source) -> Iterator[tuple[Path, str]]:
    """Every claim id that the file names, with its place."""
    for index, claim in enumerate(source.claims):
        yield from ((("claims", index, key), value) for key, value in _named_by(claim))
    for name in ("contradictions", "corrections", "notes"):
        for index, item in enumerate(getattr(source, name)):
            yield from (((name, index, "claims"), value) for value in item.claims)
    for number, ladder in enumerate(source.ladders):
        for index, step in enumerate(ladder.steps):
            yield ("ladders", number, "steps", index, "claim"), step.claim
    for number, table in enumerate(source.tables):
        for index, row in enumerate(table.rows):
            yield from ((("tables", number, "rows", index), value) for cell in row.cells for value in cell)


def _named_by(claim: Claim) -> Iterator[tuple[str, str]]:
    named = {"supersedes": claim.supersedes, "repeats": claim.repeats, "end_to_end": claim.end_to_end}
    yield from ((key, value) for key, value in {**named, "baseline": claim.baseline.claim}.items() if value)
    yield from (("equal_terms", value) for value in claim.equal_terms or ())

"""Two claims, fact by fact: equal, held equal by a shared round, different, or not stated. Pure.

Which facts are looked at is the axis's business (`matters`); rules.py and ratio.py decide what a difference means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import InvalidOperation
from functools import partial
from typing import TYPE_CHECKING, Literal

from app.claims.conditions import FIELDS
from app.claims.schema import Acceptance, Conditions, Speculation
from app.language import N_, _, number

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from app.claims.schema import Claim, ClaimRow

State = Literal[
    "equal",
    "held",  # equal by the source's own word, stated or not
    "differs",
    "not_stated",
    "apart",  # told in two ways that cannot be matched; two things, unless the source holds them equal
]
OFF = N_("off")
NOT_STATED = N_("not stated")
FORCED = ("simulated", "synthetic")
ACCEPTANCE = {
    "none": N_("none"),
    "measured": N_("measured"),
    "simulated": N_("simulated"),
    "synthetic": N_("synthetic"),
}
TP_EP = re.compile(r"^TP(\d+) \+ EP(\d+)\b")
ABBREVIATED = re.compile(r"[0-9a-f]{7,}")


@dataclass(frozen=True)
class FieldDiff:
    """One fact of both claims. `a` and `b` are worded for people, None where a side does not state it."""

    field: str
    label: str
    group: str
    a: str | None
    b: str | None
    state: State


@dataclass(frozen=True)
class Compared:
    """A fact that may be written in several condition fields: `covers` are their names in FIELDS."""

    label: str
    covers: tuple[str, ...]
    read: Callable[[Claim], str | None]
    state: Callable[[Claim, Claim], State]


def settle(row: ClaimRow) -> ClaimRow:
    """With speculation off there is nothing to accept and nothing to draft, whether the source says so or not."""
    if row.conditions.speculation.method != OFF:
        return row
    conditions = row.conditions.model_copy(update={"speculation": Speculation(method=OFF)})
    return row.model_copy(update={"conditions": conditions, "acceptance": Acceptance(kind="none")})


def diff(a: Claim, b: Claim, groups: frozenset[str], held: frozenset[str]) -> tuple[FieldDiff, ...]:
    """Every fact of `groups`; for the fields in `held` the source says that they were equal, stated or not."""
    found = []
    for name, fact in COMPARED.items():
        group = FIELDS[name].group
        if group not in groups:
            continue
        state = fact.state(a, b)
        if state in ("not_stated", "apart") and held.issuperset(fact.covers):
            state = "held"
        elif state == "apart":
            state = "differs"
        found.append(FieldDiff(name, _(fact.label), group, fact.read(a), fact.read(b), state))
    return tuple(found)


def accept_length(claim: Claim) -> Decimal | None:
    """Tokens per verify step, as measured where it was measured, else as forced."""
    return claim.acceptance.length or forced_length(claim)


def forced_length(claim: Claim) -> Decimal | None:
    """What the acceptance was set to. A synthetic one takes every draft, so it stands at its ceiling."""
    given = claim.acceptance
    if given.kind not in FORCED:
        return None
    return given.target or (given.ceiling if given.kind == "synthetic" else None)


def is_forced(claim: Claim) -> bool:
    return claim.acceptance.kind in FORCED


def acceptance_text(claim: Claim) -> str | None:
    """ "simulated 5.5 of at most 6"; a simulation is named by what it was set to, not by where it drifted."""
    given = claim.acceptance
    if given.kind == "not_stated":
        return None
    length = forced_length(claim) or given.length
    ceiling = (
        _(" of at most {ceiling}").format(ceiling=number(given.ceiling, "f"))
        if given.ceiling is not None and length is not None
        else ""
    )
    return _(ACCEPTANCE[given.kind]) + (f" {number(length, 'f')}" if length is not None else "") + ceiling


def _acceptance_state(a: Claim, b: Claim) -> State:
    one, two = a.acceptance, b.acceptance
    if "not_stated" in (one.kind, two.kind):
        return "not_stated"
    if one.kind != two.kind:
        return "differs"
    if one.kind == "none":
        return "equal"
    return forced_state(a, b) if is_forced(a) else _same(one.length, two.length)


def forced_state(a: Claim, b: Claim) -> State:
    """What both were set to, as far as the coarser is written out (5.5 and 5.505). A simulation drifts: where both
    measured one mean, whoever gave that mean as the setting meant the same setting."""
    one, two = forced_length(a), forced_length(b)
    state = _same(one, two)
    if one is None or two is None or state == "equal":
        return state
    means = (a.acceptance.length, b.acceptance.length)
    return "equal" if _rounds_to_same(one, two) or (None not in means and means[0] == means[1]) else "differs"


def _rounds_to_same(one: Decimal, two: Decimal) -> bool:
    places = max(1, min(_places(one), _places(two)))  # 6 is no rounded 5.5
    try:
        return round(one, places) == round(two, places)
    except InvalidOperation:  # more digits than decimals have here: nothing that was measured
        return one == two


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _engine_state(a: Claim, b: Claim) -> State:
    """By commit where both give one, else by version."""
    one, two = a.conditions.engine, b.conditions.engine
    if one.commit is None or two.commit is None:
        return _same(one.version, two.version)
    return "equal" if _same_commit(one.commit.lower(), two.commit.lower()) else "differs"


def _same_commit(one: str, two: str) -> bool:
    """git shortens a commit to its first digits, 7 at least."""
    short, full = sorted((one, two), key=len)
    return one == two or (bool(ABBREVIATED.fullmatch(short)) and full.startswith(short))


def _drafts(claim: Claim) -> object:
    given = claim.conditions.speculation
    return "none" if given.method == OFF else given.draft_tokens


def _same(a: object, b: object) -> State:
    if a is None or b is None:
        return "not_stated"
    return "equal" if a == b else "differs"


def _spelled(read: Callable[[Claim], object], spelled: Callable[[str], str], claim: Claim) -> str | None:
    """The fact in one spelling; sources write one thing in several."""
    value = read(claim)
    return None if value is None else spelled(str(value))


def _layout(text: str) -> str:
    """ "TP8 + EP8" and "attention TP8, MoE EP8" are one layout."""
    return TP_EP.sub(r"attention TP\1, MoE EP\2", text)


def _alike(read: Callable[[Claim], object]) -> Callable[[Claim, Claim], State]:
    return lambda a, b: _same(read(a), read(b))


def _together(*readers: Callable[[Claim], object], apart: State = "not_stated") -> Callable[[Claim, Claim], State]:
    """Parts that name one fact together: none may differ, and a part that only one side gives leaves it open.
    Where the sides use different parts (one names a benchmark, the other its prompts), they are `apart`."""

    def state(a: Claim, b: Claim) -> State:
        pairs = [(read(a), read(b)) for read in readers]
        given = [(one, two) for one, two in pairs if one is not None or two is not None]
        states = {_same(one, two) for one, two in given}
        if "differs" in states:
            return "differs"
        if states == {"not_stated"} and all(any(read(side) is not None for read in readers) for side in (a, b)):
            return apart
        return "equal" if states == {"equal"} else "not_stated"

    return state


def _text(read: Callable[[Claim], object]) -> Callable[[Claim], str | None]:
    return lambda claim: None if (value := read(claim)) is None else str(value)


def _table() -> dict[str, Compared]:
    readers = {name: field.read for name, field in FIELDS.items()} | {"speculation.draft_tokens": _drafts}
    table = {name: Compared(FIELDS[name].label, (name,), _text(read), _alike(read)) for name, read in readers.items()}
    for name, spelled in SPELLED.items():
        table[name] = replace(table[name], state=_alike(partial(_spelled, readers[name], spelled)))
    table["engine.version"] = replace(table["engine.version"], state=_engine_state)
    table["acceptance"] = replace(table["acceptance"], read=acceptance_text, state=_acceptance_state)
    names = ("workload.name", "workload.dataset")  # a named benchmark, a data set, or both
    prompts = _together(*(readers[name] for name in names), apart="apart")
    table[names[0]] = Compared(N_("prompts"), names, _prompts, prompts)
    names = ("load.concurrency", "load.rate")  # a closed loop, an open one, or a capped one
    load = _together(*(readers[name] for name in names))
    table[names[0]] = Compared(N_("load"), names, _load, load)
    return {name: fact for name, fact in table.items() if name not in ("workload.dataset", "load.rate")}


SPELLED: dict[str, Callable[[str], str]] = {
    "dtypes.weights": str.casefold,
    "dtypes.kv": str.casefold,
    "parallelism": _layout,
}


def _prompts(claim: Claim) -> str | None:
    given = claim.conditions.workload
    return ": ".join(part for part in (given.name, given.dataset) if part) or None


def _load(claim: Claim) -> str | None:
    given = claim.conditions.load
    concurrency = _("concurrency {concurrency}").format(concurrency=given.concurrency) if given.concurrency else None
    batch = _("batch {batch}").format(batch=given.batch) if given.batch else None
    rate = _("request rate {rate}").format(rate=given.rate) if given.rate else None
    return ", ".join(part for part in (concurrency or batch, rate) if part) or None


COMPARED: dict[str, Compared] = _table()


def laid_over(own: Conditions, stated: Conditions) -> Conditions:
    """`own` with every fact that `stated` has; a null is no fact, so that what was stored reads as what was written."""
    merged = own.model_dump()
    for name, value in stated.model_dump(exclude_none=True).items():
        merged[name] = {**merged[name], **value} if isinstance(value, dict) else value
    return Conditions.model_validate(merged)

"""What holds of every comparison, on thousands of generated pairs."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.axes import AXES
from app.claims.conditions import FIELDS, HELD_BY_SCRIPT
from app.claims.schema import ClaimRow
from app.compare.lint import lint
from app.compare.ratio import change_of, changes
from app.compare.verdict import STRENGTH, compare
from tests.compare.factories import CLAIM, DAY, ROUND, SOURCE

RANK = {"not_comparable": 0, "comparable_with_differences": 1, "comparable": 2}
MANY = settings(max_examples=150, deadline=None)

# Two values for every fact, so that pairs agree and differ about as often; None is "not stated".
FACTS: dict[str, tuple[Any, ...]] = {
    "conditions.engine.name": ("SGLang", "vLLM"),
    "conditions.engine.version": ("1.0", "2.0"),
    "conditions.engine.commit": ("aaaa", "bbbb"),
    "conditions.model.id": ("DeepSeek-V4.1-Flash", "Kimi K3"),
    "conditions.model.weights": ("real", "dummy"),
    "conditions.hardware.accelerator": ("GB300", "H200"),
    "conditions.hardware.count": (4, 8),
    "conditions.hardware.gpus_per_node": (4, 8),
    "conditions.hardware.cpu_binding": ("unbound", "NUMA-bound"),
    "conditions.parallelism": ("TP4", "DEP2"),
    "conditions.dtypes.weights": ("FP8", "NVFP4"),
    "conditions.dtypes.kv": ("FP8", "NVFP4"),
    "conditions.speculation.draft_tokens": (3, 5),
    "conditions.approximations": ((), ({"name": "replay", "on": True},)),
    "conditions.execution": ("eager", "CUDA graph"),
    "conditions.workload.name": ("AgentX", "SPEED-Bench"),
    "conditions.workload.dataset": ("random ids", "real text"),
    "conditions.workload.input_tokens": ("4096", "8192"),
    "conditions.workload.output_tokens": ("1024", "512"),
    "conditions.workload.temperature": ("0", "1"),
    "conditions.workload.prefix_cache": ("cleared", "warm"),
    "conditions.load.concurrency": ("1", "64"),
    "conditions.load.rate": ("8", "16"),
    "conditions.limit": ("none", "P90 > 50"),
    "conditions.client": ("vllm bench serve", "sglang bench_serving"),
    "statistic": ("median", "mean"),
}
# What a round's `varies` calls a fact, where the names differ.
ROUND_NAMES = {"conditions.engine.commit": "engine.version", "conditions.hardware.gpus_per_node": ""}
SPECULATION = [
    ("off", {"kind": "none"}),
    ("off", {"kind": "not_stated"}),
    ("DSpark", {"kind": "measured", "length": "3.17"}),
    ("DSpark", {"kind": "measured"}),
    ("DSpark", {"kind": "simulated", "target": "5.5", "length": "5.505", "ceiling": "6"}),
    ("DSpark", {"kind": "simulated", "target": "3.51"}),
    ("DSpark", {"kind": "synthetic", "ceiling": "6"}),
    ("DSpark", {"kind": "not_stated"}),
]
BASELINES = [
    {"kind": "feature_off", "key": "replay", "value": "50"},
    {"kind": "feature_off", "key": "speculation", "conditions": {"workload": {"dataset": "real text"}}},
    {"kind": "own_earlier_build", "key": "day-0", "flaw": "a layout bug", "claim": "a"},
    {"kind": "other_configuration", "key": "long", "acceptance": {"kind": "none"}},
]
# One stated fact goes out of sight: every spelling of it, as a reader sees it.
FORGOTTEN: list[dict[str, Any]] = [
    {name: None}
    for name in FACTS
    if name.rsplit(".", 1)[-1] not in {"version", "commit", "name", "dataset", "concurrency", "rate"}
] + [
    {"conditions.engine.name": None},
    {"conditions.engine.version": None, "conditions.engine.commit": None},
    {"conditions.workload.name": None, "conditions.workload.dataset": None},
    {"conditions.load.concurrency": None, "conditions.load.rate": None},
    {"conditions.speculation.method": None},
    {"acceptance": {"kind": "not_stated"}},
    {"acceptance.target": None},
    {"acceptance.length": None},
    {"acceptance.ceiling": None},
    {"baseline.key": None},
    {"baseline": {"kind": "not_stated"}},
    {"value": None, "written": "in a chart only"},
    {"round_place": None},
    {"repeats": None},
]

Raw = dict[str, Any]


def put(raw: Raw, changes_: dict[str, Any]) -> Raw:
    built = deepcopy(raw)
    for name, value in changes_.items():
        *parents, last = name.split(".")
        place = built
        for parent in parents:
            place = place[parent]
        place[last] = value
    return built


def read(raw: Raw) -> ClaimRow:
    return ClaimRow.model_validate(raw)


@st.composite
def raws(draw: st.DrawFn) -> Raw:
    """One claim: any axis and kind, most facts stated."""
    kind = draw(st.sampled_from(["absolute", "absolute", "absolute", "ratio", "change"]))
    axis = draw(st.sampled_from(["decode_rate", "decode_rate", *sorted(AXES)]))
    unit = {"ratio": "x", "change": "%"}.get(kind) or draw(st.sampled_from(AXES[axis].units))
    raw = {**deepcopy(CLAIM), "headline": "a number", "source": SOURCE, "retrieved": DAY, "last_checked": DAY}
    raw |= {"kind": kind, "axis": axis, "unit": unit, "round_place": ROUND, "repeats": None, "ladder": None}
    raw["value"] = draw(st.sampled_from(["1", "100", "873.63", "99999", "-30"]))
    raw["baseline"] = {"kind": "none"} if kind == "absolute" else draw(st.sampled_from(BASELINES))
    facts = {name: draw(st.sampled_from((values[0], values[0], *values))) for name, values in FACTS.items()}
    method, acceptance = draw(st.sampled_from(SPECULATION))
    raw = put(raw, {**facts, "conditions.speculation.method": method, "acceptance": acceptance})
    for _ in range(draw(st.integers(0, 2))):
        raw = forget(raw, draw(st.sampled_from(FORGOTTEN)))
    return raw


def forget(raw: Raw, fact: dict[str, Any]) -> Raw:
    if any(name.startswith("acceptance.") for name in fact) and raw["acceptance"]["kind"] == "not_stated":
        return raw
    return put(raw, fact)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Raw, Raw]:
    """Two claims that share most: of one source or two, in one round, two or none, perhaps a repetition."""
    a = put(draw(raws()), {"id": "a"})
    b = put(a, {"id": "b", "value": draw(st.sampled_from(["2", "100", "853.49", None])), "written": "-"})
    for name in draw(st.lists(st.sampled_from(sorted(FACTS)), max_size=3)):
        b = put(b, {name: draw(st.sampled_from((*FACTS[name], None)))})
    if draw(st.booleans()):
        method, acceptance = draw(st.sampled_from(SPECULATION))
        b = put(b, {"conditions.speculation.method": method, "acceptance": acceptance})
    if draw(st.integers(0, 4)) == 0:
        other = draw(raws())
        b = {**b, **{name: other[name] for name in ("kind", "axis", "unit", "scope", "baseline")}}
    surroundings = draw(st.sampled_from(["one round", "one round", "held", "two rounds", "repetition", "two sources"]))
    return surrounded(a, b, surroundings)


def surrounded(a: Raw, b: Raw, how: str) -> tuple[Raw, Raw]:
    if how == "two rounds":
        return a, put(b, {"round_place": {**ROUND, "id": "post/first"}})
    if how == "repetition":
        again = {"round_place": None, "repeats": "a", "source": {**SOURCE, "id": "other"}}
        return a, put(b, {**again, **by_script(a, b)})
    if how == "two sources":
        return a, put(b, {"round_place": None, "source": {**SOURCE, "id": "other"}})
    if how == "held":
        return hold(a, b)
    return a, b


def by_script(a: Raw, b: Raw) -> Raw:
    """What a repetition states as its original does, as the catalogue's check demands."""
    held = [name for name in FACTS if ROUND_NAMES.get(name, name.removeprefix("conditions.")) in HELD_BY_SCRIPT]
    stated = {name: value(a, name) for name in held if value(a, name) is not None and value(b, name) is not None}
    return {**stated, "conditions.speculation": a["conditions"]["speculation"], "acceptance": a["acceptance"]}


def hold(a: Raw, b: Raw) -> tuple[Raw, Raw]:
    """A round that holds equal whatever the two do not state otherwise, as the catalogue's check demands."""
    varies = {"speculation.method", "speculation.draft_tokens", "acceptance"}
    for name in FACTS:
        field = ROUND_NAMES.get(name, name.removeprefix("conditions."))
        one, two = value(a, name), value(b, name)
        if field in FIELDS and one is not None and two is not None and one != two:
            varies.add(field)
    if a["conditions"]["speculation"] == b["conditions"]["speculation"] and a["acceptance"] == b["acceptance"]:
        varies -= {"speculation.method", "speculation.draft_tokens", "acceptance"}
    place = {"id": "post/held", "title": "held", "varies": tuple(sorted(varies))}
    return put(a, {"round_place": place}), put(b, {"round_place": place})


def value(raw: Raw, name: str) -> Any:
    for part in name.split("."):
        raw = raw.get(part, {})
    return raw if raw != {} else None


@MANY
@given(pairs())
def test_the_verdict_does_not_depend_on_the_order(drawn: tuple[Raw, Raw]) -> None:
    a, b = read(drawn[0]), read(drawn[1])
    there, back = compare(a, b, [a, b]), compare(b, a, [a, b])
    assert there.verdict == back.verdict
    assert sorted((r.rule, r.severity, r.field, str(r.a), str(r.b)) for r in there.reasons) == sorted(
        (r.rule, r.severity, r.field, str(r.b), str(r.a)) for r in back.reasons
    )
    assert {item.field for item in there.differences} == {item.field for item in back.differences}
    assert (there.ratio is None) == (back.ratio is None)
    assert sorted(item.title for item in there.derivations) == sorted(item.title for item in back.derivations)


@MANY
@given(pairs())
def test_a_ratio_needs_one_change_and_nothing_open_but_one_thing_of_a_repetition(
    drawn: tuple[Raw, Raw],
) -> None:
    a, b = read(drawn[0]), read(drawn[1])
    found = compare(a, b)
    open_ends = [reason for reason in found.reasons if reason.severity in ("blocking", "not_stated")]
    if found.ratio is not None:
        assert found.verdict != "not_comparable"
        repeats = any(reason.rule == "repetition" for reason in found.reasons)
        unstated = {change_of(reason.field) for reason in open_ends}
        assert not unstated or (repeats and len(unstated | set(changes(found.reasons))) == 1)
        assert len(changes(found.reasons)) <= 1
        assert a.kind == b.kind == "absolute"
        assert a.axis == b.axis
        assert found.ratio.conditions in found.summary
    elif found.verdict != "not_comparable" and a.kind == b.kind == "absolute" and a.value and b.value:
        assert "the ratio is withheld" in found.summary or min(a.value, b.value) <= 0


@settings(max_examples=400, deadline=None)
@given(pairs(), st.lists(st.tuples(st.sampled_from(FORGOTTEN), st.booleans()), min_size=1, max_size=4))
def test_knowing_less_never_makes_two_numbers_more_comparable(
    drawn: tuple[Raw, Raw], forgotten: list[tuple[dict[str, Any], bool]]
) -> None:
    a, b = drawn
    before = compare(read(a), read(b))
    for fact, of_a in forgotten:
        a, b = (forget(a, fact), b) if of_a else (a, forget(b, fact))
        after = compare(read(a), read(b))
        assert RANK[after.verdict] <= RANK[before.verdict]
        assert after.ratio is None or before.ratio is not None
        before = after


@MANY
@given(raws())
def test_a_claim_compares_with_itself(raw: Raw) -> None:
    claim = read(raw)
    found = compare(claim, claim, [claim])
    assert (found.verdict, found.ratio, found.differences) == ("comparable", None, ())
    assert [reason.rule for reason in found.reasons] == ["same-claim"]


@MANY
@given(pairs())
def test_reasons_stand_strongest_first_and_no_winner_is_named(drawn: tuple[Raw, Raw]) -> None:
    found = compare(read(drawn[0]), read(drawn[1]))
    strengths = [STRENGTH.index(reason.severity) for reason in found.reasons]
    assert strengths == sorted(strengths)
    assert (found.verdict == "not_comparable") == (0 in strengths)
    text = " ".join([found.summary, *(reason.message for reason in found.reasons)]).lower()
    assert not any(word in text for word in ("winner", "wins", "faster", "slower", "better", "worse"))
    assert found.summary.endswith(".")
    assert not found.summary.endswith("..")


@MANY
@given(raws(), st.decimals(min_value=Decimal("-1e9"), max_value=Decimal("1e9"), allow_nan=False))
def test_the_lint_takes_every_number(raw: Raw, number: Decimal) -> None:
    ends = {"before": number, "after": "1", "points_unit": "tok/s", "value": number}
    assert all(reason.rule.startswith("R") for reason in lint(read(put(raw, ends)), ()))

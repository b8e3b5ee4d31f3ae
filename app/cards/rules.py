"""What makes a card wrong (error) or hard to judge (warning): the one list behind validator and /cards/schema. Pure.

Sources of the rules: MLPerf's submission checker (required fields, output length), InferenceX's review list (golden
acceptance length, chat template), and the bug reports collected on warm prefix caches and unfixed output lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from app.axes import AXES
from app.cards import names, values
from app.cards.schema import Card, Hardware, Parallelism, Quality, Runs, Speculation, Workload
from app.cards.short import RELEASE
from app.language import F_, N_
from app.protocol.english import named

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.yaml_tree import Place

Severity = Literal["error", "warning"]

# Acceptance length by (model, method, drafts): InferenceX golden_al_distribution, SPEED-Bench coding.
GOLDEN_LENGTH = {
    ("DeepSeek-V4.1-Flash", "dspark", 5): Decimal("3.51"),
    ("DeepSeek-V4-Pro", "dspark", 5): Decimal("3.61"),
    ("Kimi K3", "dspark", 7): Decimal("3.78"),
}


NAMES_ITS = {
    "engine": N_("A card names its engine."),
    "model": N_("A card names its model."),
    "hardware": N_("A card names its hardware."),
    "metric": N_("A card names its metric."),
    "workload": N_("A card names its workload."),
}
REQUIRED = tuple(NAMES_ITS)


@dataclass(frozen=True)
class Finding:
    """One broken rule: `field` is the card's path, `place` its line and column where the card came as text."""

    rule: str
    severity: Severity
    field: str
    message: str
    place: Place | None = None


@dataclass(frozen=True)
class Told:
    """A rule as the documentation tells it."""

    id: str
    severity: Severity
    field: str
    says: str


@dataclass(frozen=True)
class Rule(Told):
    """`broken` gives the sentence for this card, or None where the rule holds."""

    broken: Callable[[Card], str | None]


def findings(card: Card, still_open: frozenset[str] = frozenset()) -> list[Finding]:
    """Every broken rule. A block whose choice is still open (see short.py) has its own finding and no second one."""
    found = []
    for rule in RULES:
        message = None if rule.field.partition(".")[0] in still_open else rule.broken(card)
        if message:
            found.append(Finding(rule.id, rule.severity, rule.field, message))
    for field, text in values.unsaid(card):
        form = F_("says {given}: leave it empty, which counts as not stated")
        found.append(Finding("W-unsaid", "warning", field, form.format(given=text)))
    return found


def _missing(field: str) -> Callable[[Card], str | None]:
    def broken(card: Card) -> str | None:
        missing = F_("is missing; a number without its {block} cannot be judged")
        return None if getattr(card, field) else missing.format(block=field)

    return broken


def _gpu_count(card: Card) -> str | None:
    layout, count = card.parallelism or Parallelism(), (card.hardware or Hardware()).count
    if count is None or names.is_cpu((card.hardware or Hardware()).accelerator):
        return None
    if (layout.tp is None and layout.dp is None) or layout.note:
        return None
    ranks = (layout.tp or 1) * (layout.pp or 1) * (layout.pcp or 1)
    fitting = {ranks, ranks * (layout.dp or 1)}
    if count in fitting:
        return None
    need = f"{' or '.join(str(number) for number in sorted(fitting))} {named(max(fitting), 'GPU')}"
    form = F_("needs {said_need}, but the card says {said_count}")
    return form.format(said_need=need, said_count=f"{count} {named(count, 'GPU')}")


def _accept_length(card: Card) -> str | None:
    spec = card.speculation
    if spec is None or spec.accept_length is None:
        return None
    if spec.accept_length < 1:
        form = F_("is {length}; every verify step yields at least the target's own token, so it is 1 or more")
        return form.format(length=spec.accept_length)
    if spec.draft_tokens is not None and spec.accept_length > spec.draft_tokens + 1:
        form = F_("is {length}, above its ceiling: {draft_tokens} draft tokens + 1")
        return form.format(length=spec.accept_length, draft_tokens=spec.draft_tokens)
    return None


def _speculates(card: Card) -> Speculation | None:
    return card.speculation if card.speculation and card.speculation.method != "off" else None


def _acceptance_kind(card: Card) -> str | None:
    spec = _speculates(card)
    if spec is None or spec.acceptance is not None:
        return None
    form = F_("say measured or simulated: {{method: {method}, acceptance: measured, accept_length: ...}}")
    return form.format(method=spec.method)


def _axis(card: Card) -> str | None:
    if card.metric is None or card.metric.axis in AXES:
        return None
    return F_("`{axis}` is not in the axis registry; /axes lists them").format(axis=card.metric.axis)


def _unit(card: Card) -> str | None:
    axis = AXES.get(card.metric.axis) if card.metric else None
    return None if card.result is None or axis is None else values.unit_of(axis, card.result.unit)


def _tail(card: Card) -> str | None:
    axis = AXES.get(card.metric.axis) if card.metric else None
    statistic = (card.runs or Runs()).statistic or ""
    is_percentile = statistic.lower().lstrip().startswith("p") and any(char.isdigit() for char in statistic)
    if axis is None or axis.direction != "higher" or not is_percentile or "tail" in statistic:
        return None
    form = F_("`{stat}` of a rate has two readings; write `{stat} slow tail` or `{stat} fast tail`")
    return form.format(stat=statistic)


def _loaded(card: Card) -> str | None:
    load = card.workload
    if load is None or any(value is not None for value in (load.concurrency, load.rate, load.sessions)):
        return None
    return F_("concurrency, rate and sessions are all not stated: the number has no load")


def _warm(card: Card) -> str | None:
    load = card.workload
    if load is None or load.seed is None or load.prefix_cache != "warm":
        return None
    return F_(
        "a fixed seed with a warm prefix cache repeats cached prompts: TTFT and throughput then measure the cache"
    )


def _random_acceptance(card: Card) -> str | None:
    load, spec = card.workload or Workload(), _speculates(card)
    if spec is None or spec.acceptance != "measured" or "random" not in (load.dataset or "") or load.chat_template:
        return None
    return F_("acceptance measured on random tokens without a chat template says little about real text")


def _golden(card: Card) -> str | None:
    spec = _speculates(card)
    if spec is None or spec.accept_length is None or spec.draft_tokens is None or card.model is None:
        return None
    golden = GOLDEN_LENGTH.get(((card.model.id or "").rpartition("/")[2], spec.method.lower(), spec.draft_tokens))
    if golden is None or abs(spec.accept_length - golden) <= golden / 4:
        return None
    form = F_("is {number}, more than 25 % from InferenceX's {number_golden} for this model and draft length")
    return form.format(number=spec.accept_length, number_golden=golden)


def _excludes(card: Card) -> str | None:
    whole = {"e2e_latency", "output_throughput", "total_throughput"}
    if not card.excludes or card.metric is None or card.metric.axis not in whole:
        return None
    return F_("something is left out of a number whose axis is end to end")


def _output_fixed(card: Card) -> str | None:
    load = card.workload
    if load is None or load.ignore_eos is not False or load.output_tokens is None:
        return None
    return F_("output may stop early (ignore_eos is off): an engine that stops early looks faster")


def _command(card: Card) -> str | None:
    missing = F_("no launch command: nobody can repeat the number exactly")
    return None if card.launch and card.launch.argv else missing


def _unstated(field: str, part: str, message: str) -> Callable[[Card], str | None]:
    def broken(card: Card) -> str | None:
        block = getattr(card, field)
        return message if block is not None and getattr(block, part) is None else None

    return broken


def _runs(card: Card) -> str | None:
    count = (card.runs or Runs()).count
    return F_("must be 1 or more") if count is not None and count < 1 else None


def _one_run(card: Card) -> str | None:
    return F_("one run has no spread") if (card.runs or Runs()).count == 1 else None


def _negative(card: Card) -> str | None:
    below = card.result is not None and card.result.value < 0
    form = F_("is {value}; a rate, time or size is not negative")
    return form.format(value=card.result.value) if card.result and below else None


def _of(path: str, check: Callable[[str | None], str | None]) -> Callable[[Card], str | None]:
    """A check of one field's text (values.py) as a rule."""
    block, _, part = path.partition(".")

    def broken(card: Card) -> str | None:
        held = getattr(card, block)
        return check(getattr(held, part, None) if part else held)

    return broken


def _outside(card: Card) -> str | None:
    return values.outside(card.result.spread, card.result.value) if card.result else None


def _off(card: Card) -> str | None:
    spec = card.speculation
    if spec is None or spec.method != "off" or (spec.draft_tokens, spec.accept_length) == (None, None):
        return None
    return F_("is off, so nothing is drafted: leave out draft_tokens and accept_length, or name the method")


def _temperature(card: Card) -> str | None:
    given = (card.workload or Workload()).temperature
    form = F_("is {given}; a temperature is 0 (greedy) or more")
    return form.format(given=given) if given is not None and given < 0 else None


def _rate(card: Card) -> str | None:
    given = (card.workload or Workload()).rate
    form = F_("is {given}; requests sent per second are more than 0; leave it empty where no rate was set")
    return form.format(given=given) if given is not None and given <= 0 else None


def _version(card: Card) -> str | None:
    engine = card.engine
    missing = F_("neither version nor commit is stated")
    return None if engine is None or engine.version or engine.commit else missing


def _commit(card: Card) -> str | None:
    commit = card.engine.commit if card.engine else None
    form = F_("{commit} is a release: write it as engine.version")
    return form.format(commit=commit) if commit and RELEASE.fullmatch(commit) else None


def _approximations(card: Card) -> str | None:
    return F_("not stated; write `none` or list them") if card.approximations is None else None


def _quality(card: Card) -> str | None:
    missing = F_("quality not checked: the speed is unverified")
    return None if (card.quality or Quality()).checked else missing


_CACHE = _unstated("workload", "prefix_cache", F_("the prefix cache's state is not stated"))
_IGNORE_EOS = _unstated("workload", "ignore_eos", F_("ignore_eos is not stated"))
_TEMPERATURE = _unstated("workload", "temperature", F_("the temperature is not stated"))
_WORDS: tuple[tuple[str, str, str, Callable[[str | None], str | None]], ...] = (
    (
        "E-input-tokens",
        "workload.input_tokens",
        N_("A length is a whole number of tokens, or in words."),
        values.length,
    ),
    (
        "E-output-tokens",
        "workload.output_tokens",
        N_("A length is a whole number of tokens, or in words."),
        values.length,
    ),
    ("E-accelerator", "hardware.accelerator", N_("The GPU's name holds no count."), values.counted),
    ("E-layout", "parallelism.note", N_("A size of parallelism has its number."), values.layout),
    ("E-percentile", "runs.statistic", N_("A percentile lies between 0 and 100."), values.percentile),
    ("E-spread", "result.spread", N_("A spread is a number or runs from the lower end to the upper."), values.spread),
    ("E-source", "source", N_("An address begins with https:// and names a site."), values.address),
    ("W-release", "engine.version", N_("The version names one release."), values.release),
    ("W-commit", "engine.commit", N_("The commit is one: 7 to 40 hex digits."), values.commit),
    ("W-revision", "model.revision", N_("The model's revision names weights that stay."), values.revision),
    ("W-layout", "parallelism.note", N_("Parallelism names a size."), values.layout_in_words),
    ("W-weights-type", "dtypes.weights", N_("The type of the weights is named."), values.data_type),
    ("W-kv-type", "dtypes.kv", N_("The type of the KV cache is named."), values.data_type),
    ("W-method", "speculation.method", N_("Speculation names its method."), values.switched_on),
    ("W-input-tokens", "workload.input_tokens", N_("A length in words holds its number."), values.length_in_words),
    ("W-output-tokens", "workload.output_tokens", N_("A length in words holds its number."), values.length_in_words),
    ("W-cache-state", "workload.prefix_cache", N_("The prefix cache's state is cleared, off or warm."), values.cache),
    ("W-statistic", "runs.statistic", N_("The statistic is named."), values.statistic),
    ("W-limit", "metric.constraint", N_("A limit holds its number."), values.limit),
    ("W-source", "source", N_("Where a number was published is an address that readers can open."), values.no_address),
)
_TABLE: tuple[tuple[str, str, str, Callable[[Card], str | None]], ...] = (
    *((f"E-missing-{name}", name, NAMES_ITS[name], _missing(name)) for name in REQUIRED),
    ("E-commit", "engine.commit", N_("A commit is no release."), _commit),
    ("E-gpus", "parallelism", N_("GPUs = tp x pp x pcp (x dp without dp_attention)."), _gpu_count),
    ("E-accept-length", "speculation.accept_length", N_("1 <= accept_length <= draft_tokens + 1."), _accept_length),
    ("E-acceptance", "speculation.acceptance", N_("Speculation says measured or simulated."), _acceptance_kind),
    ("E-axis", "metric.axis", N_("The axis is one of /axes."), _axis),
    ("E-unit", "result.unit", N_("The unit is one of the axis's units."), _unit),
    ("E-tail", "runs.statistic", N_("A percentile of a rate names its tail."), _tail),
    ("E-runs", "runs.count", N_("At least one run is counted."), _runs),
    ("E-negative", "result.value", N_("A rate, time or size is not negative."), _negative),
    ("E-off", "speculation.method", N_("Where speculation is off, nothing is drafted."), _off),
    ("E-temperature", "workload.temperature", N_("A temperature is not negative."), _temperature),
    ("E-rate", "workload.rate", N_("A request rate is more than 0."), _rate),
    ("E-also", "also", N_("Further numbers keep the rules of the result: axis, unit, sign, percentile."), values.also),
    ("W-outside", "result.spread", N_("The result lies within its spread."), _outside),
    ("W-secret", "launch.env", N_("The launch holds no secret."), values.secret),
    ("W-load", "workload", N_("The load is stated: concurrency, rate or sessions."), _loaded),
    ("W-version", "engine", N_("The engine is pinned to a version or commit."), _version),
    ("W-one-run", "runs.count", N_("More than one run, with the spread."), _one_run),
    ("W-prefix-cache", "workload.prefix_cache", N_("The prefix cache's state is stated."), _CACHE),
    ("W-warm-cache", "workload.seed", N_("A fixed seed runs against a cleared cache."), _warm),
    ("W-random-acceptance", "speculation.acceptance", N_("Acceptance is measured on real text."), _random_acceptance),
    ("W-golden", "speculation.accept_length", N_("Within 25 % of the golden acceptance length."), _golden),
    ("W-approximations", "approximations", N_("Approximations are listed, or said to be none."), _approximations),
    ("W-quality", "quality.checked", N_("Output quality was checked at these settings."), _quality),
    ("W-excludes", "excludes", N_("An end-to-end number leaves nothing out."), _excludes),
    ("W-output-length", "workload.ignore_eos", N_("Output length is fixed."), _output_fixed),
    ("W-ignore-eos", "workload.ignore_eos", N_("ignore_eos is stated."), _IGNORE_EOS),
    ("W-temperature", "workload.temperature", N_("The temperature is stated."), _TEMPERATURE),
    ("W-command", "launch.argv", N_("The launch command is given."), _command),
)
RULES = tuple(
    Rule(name, "error" if name.startswith("E") else "warning", field, says, broken)
    for name, field, says, broken in (
        *_TABLE,
        *((rule, path, says, _of(path, check)) for rule, path, says, check in _WORDS),
    )
)

# What is checked where more than the card is at hand: its text (load.py), the other records and the clock (queries.py).
ELSEWHERE = (
    Told("E-form", "error", "", N_("Known keys, each with a value of its kind.")),
    Told("W-choice", "warning", "", N_("A field names one value, not the template's list of choices.")),
    Told("W-unsaid", "warning", "", N_("What is not known is left out, not filled in with `N/A` or `unknown`.")),
    Told("E-day", "error", "result.measured_at", N_("A measurement's day has come, and is not before 2017.")),
    Told("E-repeats", "error", "repeats", N_("The claim that a card repeats exists.")),
    Told("E-answer", "error", "", N_("What a result file itself states is not answered otherwise.")),
    Told("I-...", "warning", "", N_("What an importer warns of in a result file, by its trap (`I-T4`).")),
    Told("W-repeats", "warning", "repeats", N_("A card measures what the claim that it repeats measures.")),
)

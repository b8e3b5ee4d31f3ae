"""The shape of a claim: one published number or ratio with everything needed to judge it.

Pure data. A fact that the source does not state is `None` and is shown as "not stated": no field here has a
default that could be mistaken for a fact. Numbers are decimals, kept exactly as written ("223.50" stays 223.50).
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-.][a-z0-9]+)*$", max_length=80)]
AxisKey = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:_[a-z0-9]+)*$", max_length=80)]  # app.axes.AXES
Number = Annotated[Decimal, Field(allow_inf_nan=False)]

StatedIn = Literal["text", "table", "chart", "caption", "data_file", "threshold", "derived", "measured"]
Kind = Literal["absolute", "ratio", "change"]
Scope = Literal["kernel", "path", "layer", "forward_pass", "phase", "end_to_end", "capacity"]
RecordKind = Literal["published", "card"]
ReproductionStatus = Literal[
    "never_tried",
    "repeated_by_others",  # by another source; the rest was measured here (app.compare.reproduction)
    "failed",
    "different_setup",
    "inconclusive",
    "below",
    "within",
    "above",
]
AcceptanceKind = Literal["none", "measured", "simulated", "synthetic", "not_stated"]
BaselineKind = Literal[
    "own_earlier_build",  # the same engine at an earlier commit or release
    "feature_off",  # the same build with one thing switched off
    "other_engine",
    "other_hardware",
    "other_configuration",  # the same build in another parallelism, precision or placement
    "other_model",
    "estimate",  # arithmetic, not a measurement
    "not_stated",
    "none",  # an absolute number that is set against nothing
]
CaveatKind = Literal[
    "chart_only",
    "third_party_reading",
    "simulated_acceptance",
    "acceptance_open",  # nobody says that drafted tokens were really accepted, and something speaks against it
    "own_earlier_build",
    "flawed_baseline",
    "prefill_not_counted",
    "cached_tokens_counted",
    "input_tokens_counted",
    "approximation_on",
    "opt_in",
    "quality_not_checked",
    "one_run",
    "up_to",
    "random_prompt",
    "chosen_prompt",
    "workload_differs",
    "load_differs",
    "several_changes",
    "saturated",
    "superseded",
    "not_independent",
    "preliminary",
    "ratio_only",
    "scope",
    "not_stated",
    "contradicted",
    "noise",
    "arithmetic",
    "unsound",  # the number does not follow from the counts that its source prints beside it
    "method",
    "random_weights",
    "retracted",  # a card that its author took back; the record stays
    "other",
]


class Fact(BaseModel):
    """Base of everything that is loaded from outside: unknown keys are refused, nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Engine(Fact):
    name: Text | None = None
    version: Text | None = None
    commit: Text | None = None


class Model(Fact):
    id: Text | None = None
    revision: Text | None = None
    weights: Literal["real", "dummy"] | None = None


class Hardware(Fact):
    accelerator: Text | None = None  # one GPU's name, as the field says it: GB300, H200
    count: int | None = Field(default=None, ge=1, description="GPUs that the number was measured on")
    gpus_per_node: int | None = Field(default=None, ge=1)  # where a number is counted by node
    system: Text | None = None  # what surrounds the GPUs: NVL72, one node, InfiniBand CX-7
    cpu_binding: Text | None = None


class Dtypes(Fact):
    weights: Text | None = None
    kv: Text | None = None


class Speculation(Fact):
    method: Text | None = None  # "off" where the source says that none ran
    draft_tokens: int | None = Field(default=None, ge=1)


class Approximation(Fact):
    name: Text
    on: bool


class Workload(Fact):
    name: Text | None = None  # the named benchmark: AgentX, SPEED-Bench
    input_tokens: Text | None = (
        None  # per request, with the statistic where it is not a constant: "4096", "median 142000"
    )
    output_tokens: Text | None = None
    dataset: Text | None = None
    seed: Text | None = None
    chat_template: bool | None = None
    temperature: Text | None = None
    ignore_eos: bool | None = None
    prefix_cache: Text | None = None  # "cleared", "off", "warm", or the hit rate where one is stated
    requests: Text | None = None
    turns: Text | None = None


class Load(Fact):
    concurrency: Text | None = None
    rate: Text | None = None  # requests/s
    batch: Text | None = None


class Conditions(Fact):
    engine: Engine = Engine()
    model: Model = Model()
    hardware: Hardware = Hardware()
    parallelism: Text | None = None  # canonical: "attention TP4, MoE EP4", "TP8", "DEP2"
    dtypes: Dtypes = Dtypes()
    speculation: Speculation = Speculation()
    approximations: tuple[Approximation, ...] | None = None
    execution: Text | None = None  # "eager", "CUDA graph", and other named ways of running
    workload: Workload = Workload()
    load: Load = Load()
    limit: Text | None = None  # a limit under which a throughput was taken: "P90 interactivity > 50 tok/s/user"
    client: Text | None = None  # the load tool or script


class Acceptance(Fact):
    """Speculative decoding's acceptance: `length` counts the target's own token, so its `ceiling` is drafts + 1."""

    kind: AcceptanceKind
    length: Number | None = Field(default=None, ge=1, description="tokens per verify step, as measured or as forced")
    target: Number | None = Field(default=None, ge=1, description="the length that a simulation was set to")
    ceiling: Number | None = Field(default=None, ge=1)
    note: Text | None = None


class Baseline(Fact):
    """What a ratio divides by, or what the source sets a number against."""

    kind: BaselineKind
    text: Text | None = None
    key: Slug | None = None  # names what was switched off or replaced, so that two ratios against the same thing match
    claim: Slug | None = None
    value: Number | None = None
    unit: Text | None = None
    conditions: Conditions | None = None  # only what the source states to differ from the claim's own conditions
    acceptance: Acceptance | None = None
    flaw: Text | None = None  # a defect of the baseline that the source itself admits


class Caveat(Fact):
    kind: CaveatKind
    text: Text


class OtherFigure(Fact):
    """A number printed beside the claim that places it (its P90 interactivity, its tail), not the claim itself."""

    name: Text
    value: Number
    unit: Text
    note: Text | None = None


class Evidence(Fact):
    """Where the traces of a number of our own are: the measurement, with the side and the point that it is of."""

    measurement: Slug
    side: Literal["a", "b"] = "a"
    point: int = Field(ge=0, description="place in the measurement's plan, from 0")


class Claim(Fact):
    """One published number or ratio. `value` is the number, `low`/`high` a range, `before`/`after` a printed pair."""

    id: Slug
    title: Text  # what was done or measured, in a few words
    written: Text | None = None  # the number as the source writes it, where that is more than value and unit
    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    before: Number | None = None  # the end points of a ratio or change, in `points_unit`
    after: Number | None = None
    points_unit: Text | None = None
    unit: Text
    approximate: bool = False
    bound: Literal["up_to", "at_least", "more_than", "within", "nearly"] | None = None
    kind: Kind
    axis: AxisKey
    axis_version: int = Field(default=1, ge=1)  # the definition that it was recorded under, kept when the axis moves on
    scope: Scope
    statistic: Text | None = None
    runs: Text | None = None
    locator: Text
    stated_in: StatedIn
    baseline: Baseline
    conditions: Conditions
    acceptance: Acceptance
    caveats: tuple[Caveat, ...] = ()
    beside: tuple[OtherFigure, ...] = ()
    round: Slug | None = None  # the round of measurements of its source that it belongs to
    measured_at: Text | None = None
    measured_by: Text | None = None
    supersedes: Slug | None = None
    repeats: Slug | None = None  # the claim that this one measured again, with the same code and script
    end_to_end: Slug | None = None  # for a kernel or layer ratio: the claim that gives the whole effect
    equal_terms: tuple[Slug, Slug] | None = None  # numerator and denominator of the same source at equal load
    check: Text | None = None  # what the last check of this record against its source found
    evidence: Evidence | None = None  # of a number that was measured by Benchcard itself
    rank: int = Field(default=500, ge=0, le=999, description="place in the table's default order, smaller first")


class SourceRef(Fact):
    id: Slug
    title: Text
    url: Text | None
    date: Text | None
    publisher: Text
    interest: Text


class RoundRef(Fact):
    """Numbers measured together: within a round only the fields in `varies` may differ."""

    id: Text
    title: Text
    varies: tuple[Text, ...]
    apart: Text | None = None  # why nothing outside the round may be set against its numbers


class LadderBreak(Fact):
    after_step: int
    title: Text
    reasons: tuple[Text, ...]


class LadderPlace(Fact):
    ladder: Text
    step: int
    segment: int  # how many breaks lie before this step
    breaks: tuple[LadderBreak, ...]


class Contradiction(Fact):
    id: Slug
    claims: tuple[Slug, ...]
    text: Text
    locator: Text | None = None
    across: bool = False  # whether it stands between sources, not inside one; found when rows are put together


class Correction(Fact):
    id: Slug
    claims: tuple[Slug, ...]
    often_read_as: Text
    source_says: Text
    locator: Text | None = None


class Reproduction(Fact):
    """Whether the number was measured again. `measurement` is the newest one made here, else the newest that was
    `imported`: verified from its traces, on a machine that nobody here saw. `measured` is its number in the claim's
    unit with its interval; `others` says who repeated it elsewhere, where the status is that of a measurement."""

    status: ReproductionStatus = "never_tried"
    text: Text = "never tried"
    measurement: Text | None = None
    imported: bool = False
    job: Text | None = None
    measured: Number | None = None
    low: Number | None = None
    high: Number | None = None
    share: Number | None = None  # measured / claimed
    differences: tuple[Text, ...] = ()  # in what the setup differs
    others: Text | None = None


class CardRef(Fact):
    """The bench card that a row was made from; a row without one is a published claim of the catalogue."""

    id: Slug
    revision: int
    author: Text
    completeness: int = Field(ge=0, le=100, description="percent of the fields that a reproduction needs")
    repeats: Slug | None = None  # the claim that it measured again; nobody says with the same script
    retracted: Text | None = None  # the author's reason


class ClaimRow(Claim):
    """A claim with what surrounds it: what the pages, the API and the comparison read."""

    headline: Text
    source: SourceRef
    round_place: RoundRef | None = None
    ladder: LadderPlace | None = None
    contradictions: tuple[Contradiction, ...] = ()
    corrections: tuple[Correction, ...] = ()
    reproduction: Reproduction = Reproduction()
    retrieved: dt.date
    last_checked: dt.date
    card: CardRef | None = None

"""The bench card: the YAML record of one measurement's conditions and result. Pure data.

What the author does not state is None. The human form, the JSON form and the database hold the same keys; the rules
that judge a card are in rules.py, the short forms that people may type in short.py.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from app.claims.schema import Approximation, AxisKey, Dtypes, Engine, Fact, Model, Slug
from app.language import F_

NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?", re.ASCII)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
LARGEST = Decimal(10) ** 15  # beyond any count or rate in this field; keeps 2^63 and 1e400 out of every column


def _digits(given: object) -> object:
    """Only what reads as one number to everybody: no `1_0`, no surrounding words."""
    if isinstance(given, str) and not NUMBER.fullmatch(given.strip()):
        raise ValueError(F_("not a number (write it with a decimal point and no thousands separators)"))
    return given


def _whole(given: object) -> object:
    """A count as people write it: `1e3` is 1000, `1.5` is none."""
    if not isinstance(given, str) or not re.search("[.eE]", str(_digits(given))):
        return _digits(given)
    number = Decimal(given.strip())
    if number.adjusted() > 20:
        raise ValueError(F_("number is larger than anything counted here"))
    if number != number.to_integral_value():
        raise ValueError(F_("a whole number is expected here"))
    return int(number)


def _day(given: object) -> object:
    """Only a calendar's day: no time, and no count of seconds."""
    if isinstance(given, str) and not DAY.fullmatch(given.strip()):
        raise ValueError(F_("a day is written year-month-day, such as 2026-10-07"))
    return given


def _hex(given: object) -> object:
    if isinstance(given, str) and not re.fullmatch("[0-9a-f]{64}", given):
        raise ValueError(F_("a SHA-256 is expected: 64 hex digits, 0 to 9 and a to f, as `sha256sum` prints it"))
    return given


def _key(given: object) -> object:
    if isinstance(given, str) and not re.fullmatch("[a-z0-9_]+", given):
        raise ValueError(F_("the key of an axis is expected, such as decode_rate; /axes lists them"))
    return given


def _id(given: object) -> object:
    if isinstance(given, str) and not re.fullmatch("[a-z0-9.-]+", given):
        raise ValueError(F_("the id of a claim is expected, which the address of its page ends in"))
    return given


def _off(method: str) -> str:
    """However people say that nothing was drafted, it is said in one way."""
    return "off" if method.lower() in {"off", "none", "no", "false"} else method


def _sane(number: Decimal) -> Decimal:
    if abs(number) > LARGEST:
        raise ValueError(F_("number is larger than anything measured here (10^15)"))
    if number and number.adjusted() < -15:
        raise ValueError(F_("number is smaller than anything measured here (10^-15)"))
    return Decimal(f"{number:f}")  # 1e3 is 1000, everywhere


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Setting = Annotated[str, StringConstraints(max_length=2000)]  # of a variable, which may be set to nothing
Measured = Annotated[Decimal, Field(allow_inf_nan=False), BeforeValidator(_digits), AfterValidator(_sane)]
Count = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=10**9)]
Tally = Annotated[int, BeforeValidator(_whole), Field(ge=0, le=10**9)]
Seed = Annotated[int, BeforeValidator(_whole), Field(ge=-(2**63), lt=2**63)]
Day = Annotated[dt.date, BeforeValidator(_day)]
Digest = Annotated[str, BeforeValidator(_hex), StringConstraints(pattern=r"^[0-9a-f]{64}$")]
MetricKey = Annotated[AxisKey, BeforeValidator(_key)]
ClaimId = Annotated[Slug, BeforeValidator(_id)]
Method = Annotated[Text, AfterValidator(_off)]


class Hardware(Fact):
    accelerator: Text | None = None
    count: Count | None = None
    interconnect: Text | None = None
    host: Text | None = None


class Parallelism(Fact):
    """GPUs = tp x pp x pcp; dp-attention, ep and dcp reuse those (InferenceX process_result.py counts the same way)."""

    tp: Count | None = None
    pp: Count | None = None
    dp: Count | None = None
    ep: Count | None = None
    pcp: Count | None = None
    dcp: Count | None = None
    dp_attention: bool | None = None
    note: Text | None = None


class Speculation(Fact):
    """`method` is "off" where none ran. `accept_length` counts the target's own token: at most draft_tokens + 1."""

    method: Method
    draft_tokens: Count | None = None
    acceptance: Literal["measured", "simulated", "synthetic"] | None = None
    accept_length: Measured | None = None


class Workload(Fact):
    name: Text | None = None
    input_tokens: Text | None = None
    output_tokens: Text | None = None
    dataset: Text | None = None
    seed: Seed | None = None
    chat_template: bool | None = None
    temperature: Measured | None = None
    ignore_eos: bool | None = None
    prefix_cache: Text | None = None
    concurrency: Count | None = None
    rate: Measured | None = None  # requests/s
    sessions: Count | None = None
    turns: Count | None = None


class Runs(Fact):
    count: Tally | None = None
    warmup_discarded: Tally | None = None
    statistic: Text | None = None
    tool: Text | None = None  # what sent the load and measured


class Metric(Fact):
    axis: MetricKey
    constraint: Text | None = None


class Result(Fact):
    value: Measured
    unit: Text
    spread: Text | None = None
    measured_at: Day | None = None


class Figure(Fact):
    """A further number of the same run: one axis, one statistic."""

    axis: MetricKey
    statistic: Text | None = None
    value: Measured
    unit: Text


class Quality(Fact):
    checked: bool | None = None
    how: Text | None = None


class Launch(Fact):
    argv: tuple[Text, ...] | None = None
    env: dict[Text, Setting] | None = None


class RawFile(Fact):
    name: Text
    sha256: Digest


class Card(Fact):
    """One measurement, or a plan where `result` is absent."""

    title: Text | None = None
    engine: Engine | None = None
    model: Model | None = None
    hardware: Hardware | None = None
    parallelism: Parallelism | None = None
    dtypes: Dtypes | None = None
    speculation: Speculation | None = None
    approximations: tuple[Approximation, ...] | None = None
    workload: Workload | None = None
    runs: Runs | None = None
    metric: Metric | None = None
    result: Result | None = None
    also: tuple[Figure, ...] | None = None  # what the same run measured on other axes
    excludes: tuple[Text, ...] | None = None
    quality: Quality | None = None
    launch: Launch | None = None
    raw: tuple[RawFile, ...] | None = None
    repeats: ClaimId | None = None  # the claim that this card measured again
    source: Text | None = None  # where the number was published, if it was
    note: Text | None = None

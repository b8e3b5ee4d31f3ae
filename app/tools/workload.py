"""A workload's shape -> which axis decides for it, why in numbers, and which claims lie near it. Pure.

With I input tokens, O output tokens and the share h of the input that the prefix cache holds, a request computes
P = I (1 - h) prompt tokens and O output tokens. Where an engine reads k prompt tokens in the time of writing one,
prefill has the share P / O / (P / O + k) of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from app.compare.words import capital
from app.language import N_, _
from app.tools import references
from app.tools.asked import read, refused
from app.tools.numbers import about, figure, plain
from app.tools.references import Even
from app.tools.schema import DecidingAxis, WorkloadAnswer
from app.tools.shapes import Shape, neighbourhood
from app.tools.workload_fields import FIELDS, PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.claims.schema import ClaimRow
    from app.claims.workloads import StatedWorkload
    from app.tools.asked import Given
    from app.tools.schema import Figure

MOSTLY_CACHED = Decimal(50)  # percent of the input from which the cache is what decides
MUCH_LONGER = 4
# The axes on which a claim speaks to the same question as a deciding one.
FAMILIES = {
    "prefill_per_gpu": ("prefill_per_gpu", "prefill_throughput"),
    "output_per_gpu": ("output_per_gpu", "output_throughput", "decode_per_gpu"),
    "ttft": ("ttft", "prefill_time"),
    "tpot": ("tpot", "decode_rate", "interactivity_p90_slow"),
    "per_gpu_at_limit": ("per_gpu_at_limit", "total_per_gpu"),
    "kv_capacity": ("kv_capacity", "kv_bytes_per_token"),
}
ASSUMES = (
    N_(
        "Medians stand for the whole: a few very long prompts can decide the tail, and medians do not multiply exactly."
    ),
    N_("Every computed token costs the same, and cached tokens cost nothing."),
)


@dataclass(frozen=True)
class Known:
    """What the catalogue says besides: rows by id, and every claim's stated workload."""

    rows: Mapping[str, ClaimRow]
    workloads: Sequence[StatedWorkload]


@dataclass(frozen=True)
class Balance:
    """Where the time goes: `even` from the asker's rates or from the catalogue, None where neither has them."""

    ratio: Decimal  # computed prompt tokens per output token
    even: Even | None

    @property
    def decides(self) -> str:
        if self.even is None:
            return ""
        if self.ratio > self.even.high:
            return "prefill"
        return "decode" if self.ratio < self.even.low else "both"

    def shares(self) -> tuple[Decimal, Decimal]:
        """Prefill's share of the time in percent, lowest and highest."""
        assert self.even is not None
        low, high = (100 * self.ratio / (self.ratio + k) for k in (self.even.high, self.even.low))
        return low, high


@dataclass(frozen=True)
class Tokens:
    input: Decimal
    output: Decimal
    hit_rate: Decimal

    @property
    def cached(self) -> Decimal:
        return self.input * self.hit_rate / 100

    @property
    def computed(self) -> Decimal:
        return self.input - self.cached

    @property
    def ratio(self) -> Decimal:
        return self.computed / self.output


def workload(typed: Mapping[str, str], known: Known) -> WorkloadAnswer:
    """What decides for this shape. Raises InvalidInputError with every problem and how to mend it."""
    given = read(FIELDS, typed)
    _in_pairs(given)
    numbers = given.numbers
    rate = given.number("prefix_hit_rate")
    tokens = Tokens(numbers["input_tokens"], numbers["output_tokens"], rate or Decimal(0))
    gpu = Balance(tokens.ratio, _own(given, PAIRS[0]) or references.at_full_load(known.rows))
    wait = Balance(tokens.ratio, _own(given, PAIRS[1]) or references.of_one_request(known.rows))
    deciding = tuple(_decides(tokens, gpu, wait))
    speaks_to = {axis: item.axis for item in deciding for axis in FAMILIES[item.axis]}
    shape = Shape(tokens.input, tokens.output, rate, given.number("turns"))
    around = neighbourhood(shape, known.workloads, speaks_to)
    return WorkloadAnswer(
        tool="workload",
        given={field.name: typed[field.name].strip() for field in FIELDS if typed.get(field.name, "").strip()},
        verdict=_verdict(tokens, gpu, wait),
        figures=tuple(_figures(given, tokens, gpu, wait)),
        warnings=tuple(_warnings(given, tokens, gpu, wait)),
        assumes=(*_rates_from(gpu, wait), *map(_, ASSUMES)),
        card=_card(typed),
        decides=deciding,
        near=around.near,
        compared=around.compared,
        only_named=around.only_named,
    )


def _in_pairs(given: Given) -> None:
    problems = []
    for a, b in PAIRS:
        for one, other in ((a, b), (b, a)):
            if one in given.numbers and other not in given.numbers:
                problems.append((other, _("needed beside the other rate of the pair; or leave both empty")))
    if problems:
        raise refused(problems)


def _own(given: Given, pair: tuple[str, str]) -> Even | None:
    prefill, decode = (given.number(name) for name in pair)
    if prefill is None or decode is None:
        return None
    return Even(prefill / decode, prefill / decode, 1)


def _decides(tokens: Tokens, gpu: Balance, wait: Balance) -> Iterator[DecidingAxis]:
    if gpu.even is not None:
        low, high = gpu.shares()
        why = _(
            "{ratio} computed prompt tokens for each one written. A GPU at full load reads {even} in the "
            "time of writing one, so prefill takes {low} of GPU time"
        ).format(ratio=about(gpu.ratio), even=_span(gpu.even), low=_percents(low, high))
        if gpu.decides in ("prefill", "both"):
            yield DecidingAxis(axis="prefill_per_gpu", why=f"{why}.")
        if gpu.decides in ("decode", "both"):
            yield DecidingAxis(axis="output_per_gpu", why=_("{why} and decode the rest.").format(why=why))
    if wait.even is not None:
        low, high = wait.shares()
        why = _(
            "One request alone reads {even} prompt tokens in the time of writing one, so the first token "
            "is {low} of the wait for the whole reply"
        ).format(even=_span(wait.even), low=_percents(low, high))
        if wait.decides in ("decode", "both"):
            yield DecidingAxis(axis="tpot", why=f"{why}.")
        if wait.decides in ("prefill", "both"):
            yield DecidingAxis(axis="ttft", why=f"{why}.")
    if tokens.hit_rate >= MOSTLY_CACHED:
        yield from _of_the_cache(tokens)


def _of_the_cache(tokens: Tokens) -> Iterator[DecidingAxis]:
    total = tokens.input + tokens.output
    why = _("The hits last while the contexts stay in memory: {total} tokens for each session that is held.").format(
        total=about(total, 6)
    )
    yield DecidingAxis(axis="kv_capacity", why=why)
    why = _(
        "It counts input, cached and output tokens alike: at your shape {cached} % of it would be cached "
        "tokens. It can be compared only at your own hit rate."
    ).format(cached=about(100 * tokens.cached / total))
    yield DecidingAxis(axis="per_gpu_at_limit", why=why)
    why = _("{hit_rate} % of the input is cached: only a TTFT with the cache as warm speaks for you").format(
        hit_rate=about(tokens.hit_rate)
    )
    if tokens.computed:
        times = about(tokens.input / tokens.computed)
        why += _(". One with the cache cleared computes {times} times as many prompt tokens").format(times=times)
    yield DecidingAxis(axis="ttft", why=f"{why}.")


def _verdict(tokens: Tokens, gpu: Balance, wait: Balance) -> str:
    parts = []
    if gpu.even is not None:
        parts.append(_("For what a GPU serves, {what}").format(what=_(GPU_WORDS[gpu.decides])))
    if wait.even is not None:
        parts.append(_("for how long one user waits, {what}").format(what=_(WAIT_WORDS[wait.decides])))
    if not parts:
        few = _("fewer than {ratio} prompt tokens are read in the time of writing one").format(
            ratio=about(tokens.ratio)
        )
        parts = [_("Prefill takes longer than decode where {few}").format(few=few)]
    text = f"{'; '.join(parts)}."
    if tokens.hit_rate >= MOSTLY_CACHED:
        text += _(" With {hit_rate} % of the input cached, only numbers with a warm cache speak for you.").format(
            hit_rate=about(tokens.hit_rate)
        )
    return capital(text)


GPU_WORDS = {
    "prefill": N_("prefill throughput decides"),
    "decode": N_("output throughput decides"),
    "both": N_("prefill and output throughput weigh about the same"),
}
WAIT_WORDS = {
    "prefill": N_("TTFT decides"),
    "decode": N_("TPOT decides"),
    "both": N_("TTFT and TPOT weigh about the same"),
}


def _figures(given: Given, tokens: Tokens, gpu: Balance, wait: Balance) -> Iterator[Figure]:
    total = tokens.input + tokens.output
    said_in, said_out, said_rate = plain(tokens.input), plain(tokens.output), f"{about(tokens.hit_rate, 6)} %"
    said_new = about(tokens.computed, 6)
    text = f"{said_in} x (1 - {said_rate})"
    yield figure("computed_tokens", _("Prompt tokens computed a request"), tokens.computed, "tokens", text)
    if tokens.cached:
        text = f"{said_in} x {said_rate}"
        yield figure("cached_tokens", _("Prompt tokens from the cache"), tokens.cached, "tokens", text)
    text = f"{said_new} / {said_out}"
    yield figure("computed_per_output", _("Computed prompt tokens per output token"), tokens.ratio, "x", text)
    text = f"{said_in} / {said_out}"
    yield figure("input_per_output", _("Input tokens per output token"), tokens.input / tokens.output, "x", text)
    text = f"{said_out} / ({said_in} + {said_out})"
    yield figure("output_share", _("Output’s share of “total tokens”"), 100 * tokens.output / total, "%", text)
    if tokens.cached:
        text = f"{about(tokens.cached, 6)} / ({said_in} + {said_out})"
        yield figure(
            "cached_share", _("Cached tokens’ share of “total tokens”"), 100 * tokens.cached / total, "%", text
        )
    yield from _shares("gpu", _("Prefill’s share of GPU time at full load"), gpu)
    yield from _shares("wait", _("First token’s share of one user’s wait"), wait)
    if turns := given.number("turns"):
        text = f"{plain(turns)} x {said_new}"
        yield figure("session_computed", _("Prompt tokens computed a session"), turns * tokens.computed, "tokens", text)
        text = f"{plain(turns)} x {said_out}"
        yield figure("session_output", _("Output tokens a session"), turns * tokens.output, "tokens", text)
    if held := given.number("concurrency"):
        text = f"{plain(held)} x ({said_in} + {said_out})"
        yield figure("context_held", _("Tokens of context held at once"), held * total, "tokens", text)


def _shares(key: str, name: str, balance: Balance) -> Iterator[Figure]:
    """One figure where the rates are the asker's, else the lowest and the highest of the catalogue's."""
    if balance.even is None:
        return
    low, high = balance.shares()
    ratio = about(balance.ratio, 4)
    texts = [f"{ratio} / ({ratio} + {about(k, 4)})" for k in (balance.even.high, balance.even.low)]
    if balance.even.pairs == 1:
        yield figure(f"{key}_share", name, low, "%", texts[0])
        return
    yield figure(f"{key}_share_low", _("{name}, at least").format(name=name), low, "%", texts[0])
    yield figure(f"{key}_share_high", _("{name}, at most").format(name=name), high, "%", texts[1])


def _warnings(given: Given, tokens: Tokens, gpu: Balance, wait: Balance) -> Iterator[str]:
    prompts = [item.even.prompt for item in (gpu, wait) if item.even is not None and item.even.prompt]
    if prompts and tokens.input > MUCH_LONGER * max(prompts):
        times = about(tokens.input / max(prompts), 2)
        yield (
            _(
                "Your input is {times} times as long as the longest prompt behind the catalogue’s rates. "
                "Over a long context every token costs more, a read one above all: prefill and TTFT "
                "weigh more than shown. Put your own rates in."
            ).format(times=times)
        )
    if "prefix_hit_rate" not in given.numbers:
        yield _("No prefix-hit rate is given, so all input counts as computed. Agents and chats usually have one.")
    turns = given.number("turns")
    if turns is not None and turns > 1 and tokens.hit_rate == 0:
        yield (
            _(
                "{turns} turns without a cache hit: each turn reads the whole history anew. If the "
                "server caches prefixes, put its hit rate in."
            ).format(turns=plain(turns))
        )


def _rates_from(gpu: Balance, wait: Balance) -> Iterator[str]:
    """Whose rates stand behind the shares, where they are not the asker's."""
    if gpu.even is not None and gpu.even.prompt:
        yield (
            _(
                "At full load, {even} prompt tokens read in the time of writing one is what {pairs} "
                "deployments of the catalogue state: DeepSeek-R1/V3, prompts of up to {prompt} tokens, "
                "GPUs that only prefill beside GPUs that only decode. Yours differ: put your own rates "
                "in."
            ).format(even=_span(gpu.even), pairs=gpu.even.pairs, prompt=plain(gpu.even.prompt))
        )
    if wait.even is not None and wait.even.prompt:
        yield (
            _(
                "For one request alone, {even} is what {pairs} deployments of the catalogue state: "
                "Granite 4.2 on one H200, prompts of up to {prompt} tokens, no speculation, cache "
                "cleared. Speculation makes writing quicker and so the first token’s share larger."
            ).format(even=_span(wait.even), pairs=wait.even.pairs, prompt=plain(wait.even.prompt))
        )


def _span(even: Even) -> str:
    low, high = about(even.low), about(even.high)
    return low if low == high else _("{low} to {high}").format(low=low, high=high)


def _percents(low: Decimal, high: Decimal) -> str:
    a, b = about(low, 2), about(high, 2)
    return f"{a} %" if a == b else _("{a} to {b} %").format(a=a, b=b)


def _card(typed: Mapping[str, str]) -> str:
    rate = typed.get("prefix_hit_rate", "").strip().removesuffix("%").strip()
    filled = {
        "workload.input_tokens": typed.get("input_tokens", "").strip(),
        "workload.output_tokens": typed.get("output_tokens", "").strip(),
        "workload.prefix_cache": f"hit rate {rate} %" if rate else "",
        "workload.turns": typed.get("turns", "").strip(),
        "workload.concurrency": typed.get("concurrency", "").strip(),
    }
    return f"/cards/new?{urlencode({name: value for name, value in filled.items() if value})}"

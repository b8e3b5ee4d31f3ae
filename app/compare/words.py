"""The plain words of a comparison. Pure text: nothing is decided here."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from app.axes import AXES
from app.language import N_, _, number

if TYPE_CHECKING:
    from app.claims.schema import Claim

LIMITED = "per_gpu_at_limit"
# What an axis is about, for a tired reader: each fits into "one is ..., the other is ...".
PLAIN_AXES: dict[str, str] = {
    "decode_rate": N_("the speed of a single stream"),
    "tpot": N_("the mean time for one more output token"),
    "event_gap": N_("the gap between two streamed events"),
    "token_itl": N_("the gap between two tokens"),
    "ttft": N_("the wait for the first token"),
    "e2e_latency": N_("the time of a whole request"),
    "output_throughput": N_("the output tokens of all requests together"),
    "total_throughput": N_("the input and output tokens of all requests together"),
    "output_per_gpu": N_("the output tokens that a GPU serves"),
    "total_per_gpu": N_("all tokens that a GPU serves, the cached input among them"),
    "undefined_per_gpu": N_("tokens per GPU without a word on which tokens count"),
    "per_gpu_at_limit": N_("how much a GPU serves while each user keeps a speed"),
    "interactivity_p90_slow": N_("the speed that nine of ten users get or exceed"),
    "interactivity_p90_fast": N_("the speed that only one of ten users exceeds"),
    "interactivity_e2e": N_("a user's speed with the wait for the first token counted"),
    "request_throughput": N_("the requests finished in a second"),
    "run_duration": N_("how long a fixed run took"),
    "prefill_throughput": N_("the input tokens read in a second"),
    "prefill_per_gpu": N_("the input tokens that a GPU reads"),
    "decode_per_gpu": N_("the output tokens of a GPU that only decodes"),
    "prefill_time": N_("the time to read a prompt"),
    "decode_step_time": N_("the time of one decode step"),
    "kernel_time": N_("the time of one kernel"),
    "layer_time": N_("the time of one layer"),
    "acceptance_length_vllm": N_("the tokens won by one speculative step, as vLLM counts them"),
    "acceptance_length_sglang": N_("the tokens won by one speculative step, as SGLang counts them"),
    "acceptance_rate": N_("the share of drafted tokens that is accepted"),
    "kv_bytes_per_token": N_("the memory that a token's KV cache takes"),
    "kv_capacity": N_("how much KV cache fits"),
    "itl_slope": N_("how the gap between tokens grows with context"),
    "itl_intercept": N_("the gap between tokens at no context"),
    "kv_break_even": N_("the context length from which an FP8 KV cache pays"),
    "not_defined": N_("something that its source does not define"),
}
SCOPES = {
    "kernel": N_("one kernel"),
    "path": N_("a chain of kernels"),
    "layer": N_("one layer"),
    "forward_pass": N_("one forward pass"),
    "phase": N_("one phase"),
    "end_to_end": N_("the whole run"),
    "capacity": N_("a capacity"),
}
VERDICTS = {
    "comparable": N_("Comparable"),
    "comparable_with_differences": N_("Comparable with differences"),
    "not_comparable": N_("Not comparable"),
}
KINDS = {"absolute": N_("an absolute number"), "ratio": N_("a ratio"), "change": N_("a change in per cent")}


def axis_name(key: str) -> str:
    """The registry's name without its unit; an unknown key stands for itself, so that a comparison never fails."""
    return _(AXES[key].name).split(" (")[0] if key in AXES else key


def plain_axis(key: str) -> str:
    return _(PLAIN_AXES[key]) if key in PLAIN_AXES else axis_name(key)


def what_it_is(claim: Claim) -> str:
    """What a number is about; of a throughput at a limit on each user's speed, at which, or that none is stated."""
    said, limit = plain_axis(claim.axis), claim.conditions.limit
    if claim.axis != LIMITED:
        return said
    return f"{said} (“{limit}”)" if limit else _("{said} that is not stated").format(said=said)


def capital(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def sentence(text: str | None) -> str:
    """A source's or a catalogue's phrase as the end of a sentence, with one full stop."""
    return f"{(text or '').rstrip('.')}."


def significant(value: Decimal, digits: int = 3) -> str:
    """`value` in plain notation, rounded half up to so many significant digits: no exponent, thousands separated."""
    step = Decimal(1).scaleb(value.adjusted() - digits + 1)
    rounded = value.quantize(step, rounding=ROUND_HALF_UP)
    return number(rounded, ",f") if step < 1 else number(int(rounded))

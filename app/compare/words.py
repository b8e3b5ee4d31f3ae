"""The plain words of a comparison. Pure text: nothing is decided here."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from app.axes import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import Claim

LIMITED = "per_gpu_at_limit"
# What an axis is about, for a tired reader: each fits into "one is ..., the other is ...".
PLAIN_AXES: dict[str, str] = {
    "decode_rate": "the speed of a single stream",
    "tpot": "the mean time for one more output token",
    "event_gap": "the gap between two streamed events",
    "token_itl": "the gap between two tokens",
    "ttft": "the wait for the first token",
    "e2e_latency": "the time of a whole request",
    "output_throughput": "the output tokens of all requests together",
    "total_throughput": "the input and output tokens of all requests together",
    "output_per_gpu": "the output tokens that a GPU serves",
    "total_per_gpu": "all tokens that a GPU serves, the cached input among them",
    "undefined_per_gpu": "tokens per GPU without a word on which tokens count",
    "per_gpu_at_limit": "how much a GPU serves while each user keeps a speed",
    "interactivity_p90_slow": "the speed that nine of ten users get or exceed",
    "interactivity_p90_fast": "the speed that only one of ten users exceeds",
    "interactivity_e2e": "a user's speed with the wait for the first token counted",
    "request_throughput": "the requests finished in a second",
    "run_duration": "how long a fixed run took",
    "prefill_throughput": "the input tokens read in a second",
    "prefill_per_gpu": "the input tokens that a GPU reads",
    "decode_per_gpu": "the output tokens of a GPU that only decodes",
    "prefill_time": "the time to read a prompt",
    "decode_step_time": "the time of one decode step",
    "kernel_time": "the time of one kernel",
    "layer_time": "the time of one layer",
    "acceptance_length_vllm": "the tokens won by one speculative step, as vLLM counts them",
    "acceptance_length_sglang": "the tokens won by one speculative step, as SGLang counts them",
    "acceptance_rate": "the share of drafted tokens that is accepted",
    "kv_bytes_per_token": "the memory that a token's KV cache takes",
    "kv_capacity": "how much KV cache fits",
    "itl_slope": "how the gap between tokens grows with context",
    "itl_intercept": "the gap between tokens at no context",
    "kv_break_even": "the context length from which an FP8 KV cache pays",
    "not_defined": "something that its source does not define",
}
SCOPES = {
    "kernel": "one kernel",
    "path": "a chain of kernels",
    "layer": "one layer",
    "forward_pass": "one forward pass",
    "phase": "one phase",
    "end_to_end": "the whole run",
    "capacity": "a capacity",
}
VERDICTS = {
    "comparable": "Comparable",
    "comparable_with_differences": "Comparable with differences",
    "not_comparable": "Not comparable",
}
KINDS = {"absolute": "an absolute number", "ratio": "a ratio", "change": "a change in per cent"}


def axis_name(key: str) -> str:
    """The registry's name without its unit; an unknown key stands for itself, so that a comparison never fails."""
    return AXES[key].name.split(" (")[0] if key in AXES else key


def plain_axis(key: str) -> str:
    return PLAIN_AXES.get(key) or axis_name(key)


def what_it_is(claim: Claim) -> str:
    """What a number is about; of a throughput at a limit on each user's speed, at which, or that none is stated."""
    said, limit = plain_axis(claim.axis), claim.conditions.limit
    if claim.axis != LIMITED:
        return said
    return f"{said} (“{limit}”)" if limit else f"{said} that is not stated"


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


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
    return f"{rounded:,f}" if step < 1 else f"{int(rounded):,d}"

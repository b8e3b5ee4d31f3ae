"""Axes of speculative decoding's yield and of the KV cache, and the place for numbers that nobody defined."""

from __future__ import annotations

from app.axes.registry import CAPACITY, NOT_DEFINED, OUTSIDE_LOAD_TOOLS, SERVING, Axis, absent_everywhere, named
from app.language import N_

_ACCEPTANCE_TAIL = N_(
    "The slow side is the low one. A ratio of sums over all steps, so long replies weigh more; the mean of the "
    "requests' own values is another number."
)

SPECULATION_AND_MEMORY = (
    Axis(
        key="acceptance_length_vllm",
        name=N_("acceptance length as vLLM counts it (tokens per step)"),
        definition=N_(
            "Tokens kept per speculative step, the target's own token included, over the steps that had a draft. A "
            "length that was forced by a simulation is a setting and not a measurement."
        ),
        formula=N_(
            "1 + A / D, where A is the accepted draft tokens and D the drafts (steps of a request that had draft "
            "tokens) between two readings of the server's counters; at most draft tokens + 1."
        ),
        units=("tokens/step",),
        direction="higher",
        tail=_ACCEPTANCE_TAIL,
        numerator=N_("Accepted draft tokens, plus one token of the target per step."),
        denominator=N_("Steps of a request in which it had draft tokens; no GPUs."),
        window=N_(
            "Opens at the reading of the counters before the run, closes at the reading after it; warm-up outside."
        ),
        matters=SERVING,
        source=N_("vLLM 0.33.0 (vllm:spec_decode_num_drafts_total, vllm:spec_decode_num_accepted_tokens_total)."),
        tools=named(
            vllm=("spec_decode_acceptance_length", "same", N_("From the counters before and after the run.")),
            sglang=(
                "accept_length",
                "differs",
                N_(
                    "Counts every verify step; one cumulative value since the server's start, of the first "
                    "data-parallel rank."
                ),
            ),
            aiperf=(
                "spec_decode_token_weighted_acceptance_length",
                "same",
                N_(
                    "From vLLM's metrics per request, where the server sends them; spec_decode_acceptance_length "
                    "beside it is the mean of the requests' own lengths."
                ),
            ),
            inferencex=(
                "golden AL",
                "same",
                N_(
                    "Measured once per model, thinking mode and draft length on SPEED-Bench coding; in AgentX rows it "
                    "is the length that was forced."
                ),
            ),
        ),
    ),
    Axis(
        key="acceptance_length_sglang",
        name=N_("acceptance length as SGLang counts it (tokens per step)"),
        definition=N_(
            "Tokens kept per verify step of a request: accepted draft tokens and the bonus token of the target. A "
            "length that was forced by a simulation is a setting and not a measurement."
        ),
        formula=N_(
            "K / V, where K is the kept tokens (accepted drafts and one bonus token per step) and V the verify steps, "
            "one for each request in each verify pass; of a single request SGLang gives completion tokens / V, whose "
            "first token comes from the prefill."
        ),
        units=("tokens/step",),
        direction="higher",
        tail=_ACCEPTANCE_TAIL,
        numerator=N_("Accepted draft tokens plus the bonus token."),
        denominator=N_("Verify steps of a request; no GPUs."),
        window=N_(
            "As read: a gauge covers the last log interval, avg_spec_accept_length everything since the server's "
            "start, meta_info one request."
        ),
        matters=SERVING,
        source=N_(
            "SGLang 0.5.23 (sglang:spec_accept_length, avg_spec_accept_length of /server_info, "
            "meta_info.spec_accept_length)."
        ),
        tools=named(
            vllm=(
                "spec_decode_acceptance_length",
                "differs",
                N_("Leaves out the steps in which a request had no draft tokens."),
            ),
            sglang=(
                "accept_length",
                "same",
                N_(
                    "avg_spec_accept_length of the first data-parallel rank, cumulative since the server's start, "
                    "warm-up included."
                ),
            ),
            aiperf=("none", "absent", N_("Reads acceptance only from vLLM's metrics per request.")),
            inferencex=(
                "golden AL",
                "differs",
                N_("Measured by vLLM's formula and forced in SGLang through SGLANG_SIMULATE_ACC_LEN."),
            ),
        ),
    ),
    Axis(
        key="acceptance_rate",
        name=N_("acceptance rate (percent of draft tokens)"),
        definition=N_(
            "Share of the proposed draft tokens that the target accepted; the target's own token is in neither count."
        ),
        formula=N_(
            "100 * A / P, where A is the accepted and P the proposed draft tokens between two readings of the "
            "counters; with k draft tokens in every step, acceptance length = 1 + k * A / P."
        ),
        units=("%",),
        direction="higher",
        tail=_ACCEPTANCE_TAIL,
        numerator=N_("Accepted draft tokens."),
        denominator=N_("Proposed draft tokens; no GPUs."),
        window=N_(
            "Opens at the reading of the counters before the run, closes at the reading after it; warm-up outside."
        ),
        matters=SERVING,
        source=N_("vLLM 0.33.0 (vllm:spec_decode_num_accepted_tokens_total, vllm:spec_decode_num_draft_tokens_total)."),
        tools=named(
            vllm=("spec_decode_acceptance_rate", "same", N_("In percent, from the counters before and after the run.")),
            sglang=(
                "none",
                "absent",
                N_(
                    "bench_serving prints no rate; the server's spec_accept_rate divides by verify steps times "
                    "(num_draft_tokens - 1), a fixed budget, even where fewer tokens were drafted."
                ),
            ),
            aiperf=(
                "spec_decode_overall_draft_acceptance_rate",
                "same",
                N_("From vLLM's metrics per request, where the server sends them."),
            ),
        ),
    ),
    Axis(
        key="kv_bytes_per_token",
        name=N_("KV cache per token (bytes per token, or GiB of one sequence)"),
        definition=N_(
            "Bytes of KV cache that one token of context keeps over all layers; in GiB, what one sequence of a stated "
            "length keeps."
        ),
        formula=N_(
            "sum over layers of the bytes stored per token; in GiB: that sum times the context length / 2^30. The "
            "logical size leaves out padding, scales kept apart and copies on several GPUs unless the source says "
            "otherwise."
        ),
        units=("bytes/token", "GiB"),
        direction="lower",
        tail=N_("A size, so no tail."),
        numerator=N_("Bytes of keys, values and what is stored with them."),
        denominator=N_("One token of context, or one sequence; not divided by GPUs."),
        window=N_("None: a size at rest, for a stated KV type."),
        matters=CAPACITY,
        source=N_("Benchcard's definition for claims at capacity scope."),
        tools=absent_everywhere(OUTSIDE_LOAD_TOOLS),
    ),
    Axis(
        key="kv_capacity",
        name=N_("KV cache capacity (tokens, or percent of another capacity)"),
        definition=N_("Tokens of context that the deployment's KV cache can hold at once."),
        formula=N_(
            "blocks * tokens per block as the engine reserved them; in percent: 100 * capacity / the capacity compared "
            "with."
        ),
        units=("tokens", "%"),
        direction="higher",
        tail=N_("A size, so no tail."),
        numerator=N_("Tokens of context in GPU memory; offloaded cache in host memory or on disk is another number."),
        denominator=N_("The deployment, or one replica of it, as stated; engines log it per replica."),
        window=N_("None: read after the engine has reserved its memory."),
        matters=CAPACITY,
        source=N_("Benchcard's definition for claims at capacity scope."),
        tools=named(
            inferencex=(
                "kv_cache_pool_tokens",
                "same",
                N_(
                    "AgentX only, from the server's own metrics or log; empty where ranks would report it several "
                    "times."
                ),
            ),
        ),
    ),
    Axis(
        key="kv_break_even",
        name=N_("context length at which an FP8 KV cache pays (tokens)"),
        definition=N_("Context length above which decoding with an FP8 KV cache is faster than with a BF16 one."),
        formula=N_(
            "(a_fp8 - a_bf16) / (b_bf16 - b_fp8), where a and b are the intercept in ms and the slope in ms per token "
            "of the lines fitted to ITL over context length with each KV type."
        ),
        units=("tokens",),
        direction="lower",
        tail=N_("Of two fits, so no percentile."),
        numerator=N_("Difference of the intercepts."),
        denominator=N_("Difference of the slopes; no GPUs."),
        window=N_("Of every ITL in the fits: opens at one token event, closes at the next."),
        matters=SERVING,
        source=N_("The vLLM post on FP8 KV cache of 2026-04-22."),
        tools=absent_everywhere(OUTSIDE_LOAD_TOOLS),
    ),
    Axis(
        key="not_defined",
        name=N_("not defined by the source"),
        definition=N_("A number whose source does not say what it measures; it is shown, and compared with nothing."),
        formula=N_("Not stated."),
        units=("x", "tok/s", "tok/s/GPU"),
        direction="none",
        tail=N_("Not stated."),
        numerator=N_("Not stated."),
        denominator=N_("Not stated."),
        window=N_("Not stated."),
        matters=SERVING,
        source=N_("Benchcard's place for numbers whose source does not define them."),
        tools=absent_everywhere(NOT_DEFINED),
    ),
)

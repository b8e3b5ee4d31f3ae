"""Axes of a part of serving: prefill or decode alone, one step, one layer, one kernel."""

from __future__ import annotations

from app.axes.registry import (
    KERNEL,
    OUTSIDE_LOAD_TOOLS,
    PREFILL,
    SERVING,
    SLOW_IS_HIGH,
    Axis,
    absent_everywhere,
    named,
)
from app.language import N_

_RATE_TAIL = N_("A rate of a steady phase, so no percentile; over repeats the slow side is the low one.")
_TIME_TAIL = N_("The slow side is the high one; mean or median over repeated launches as the source states.")
_INPUT_OVER_RUN = N_(
    "Input tokens over the whole run, decode time and cached tokens included, not over the prefill phase."
)

PHASES = (
    Axis(
        key="prefill_throughput",
        name=N_("prefill throughput (input tokens per second)"),
        definition=N_("Input tokens processed per second while the server does nothing but prefill."),
        formula=N_(
            "sum(I_i) / T_prefill, where I_i is the input tokens of the requests whose prefill ended in the interval "
            "and T_prefill the length of that interval in seconds."
        ),
        units=("tok/s",),
        direction="higher",
        tail=_RATE_TAIL,
        numerator=N_("Input tokens; cached ones only where the source says so."),
        denominator=N_("Seconds of prefill; all GPUs that take part together."),
        window=N_(
            "Opens at the start of the first prefill of the interval, closes at the end of its last; no decode inside."
        ),
        matters=PREFILL,
        source=N_(
            "Benchcard's definition for phase numbers as the LMSYS day-0 post of 2026-09-10 gives them (ratio on "
            "against off)."
        ),
        tools=named(
            sglang=("input_throughput", "differs", _INPUT_OVER_RUN),
            guidellm=(
                "prompt_tokens_per_second",
                "differs",
                N_("A distribution over time of the whole run's input tokens."),
            ),
            aiperf=(
                "input_token_throughput, prefill_throughput_per_user",
                "differs",
                N_(
                    "The first is input tokens over the whole run, the second input length / TTFT of a request, "
                    "queueing in it."
                ),
            ),
            inference_perf=("input_tokens_per_sec", "differs", _INPUT_OVER_RUN),
            genai_bench=(
                "input_throughput",
                "differs",
                N_("Input length / TTFT of a request, queueing and connect in it."),
            ),
            inferencex=("input_tput_tps", "differs", _INPUT_OVER_RUN),
        ),
    ),
    Axis(
        key="prefill_per_gpu",
        name=N_("prefill throughput per GPU (input tokens per second per GPU or node)"),
        definition=N_("Input tokens per second of a prefill phase, divided by the GPUs or nodes that prefill."),
        formula=N_(
            "sum(I_i) / (T_prefill * G), where I_i is the input tokens prefilled in the interval, T_prefill its length "
            "in seconds and G the GPUs, or nodes, of the prefill pool."
        ),
        units=("tok/s/GPU", "tok/s/node"),
        direction="higher",
        tail=_RATE_TAIL,
        numerator=N_("Input tokens; cached ones only where the source says so."),
        denominator=N_("Seconds of prefill times the GPUs, or nodes, of the prefill pool; decode GPUs do not count."),
        window=N_(
            "Opens at the start of the first prefill of the interval, closes at the end of its last; no decode inside."
        ),
        matters=PREFILL,
        source=N_(
            "Benchcard's definition for phase numbers as in the LMSYS GB200 post of 2025-09-25 and the vLLM GB200 post "
            "of 2026-02-03."
        ),
        tools=named(
            inferencex=(
                "input_tput_per_gpu",
                "differs",
                N_(
                    "Input tokens over the whole run, cached ones included; over the prefill GPUs in split "
                    "deployments, else over all."
                ),
            ),
        ),
    ),
    Axis(
        key="decode_per_gpu",
        name=N_("decode throughput per GPU (output tokens per second per GPU or node)"),
        definition=N_("Output tokens per second of a steady decode phase, divided by the GPUs or nodes that decode."),
        formula=N_(
            "sum(N_i) / (T_decode * G), where N_i is the output tokens made in the interval, T_decode its length in "
            "seconds and G the GPUs, or nodes, of the decode pool."
        ),
        units=("tok/s/GPU", "tok/s/node"),
        direction="higher",
        tail=_RATE_TAIL,
        numerator=N_("Output tokens, not decode steps: a step with speculation makes several tokens."),
        denominator=N_("Seconds of decode times the GPUs, or nodes, of the decode pool; prefill GPUs do not count."),
        window=N_("Opens and closes inside steady decode, with the batch full; no prefill inside."),
        matters=SERVING,
        source=N_(
            "Benchcard's definition for phase numbers as in the LMSYS GB200 post of 2025-09-25 and the vLLM GB200 post "
            "of 2026-02-03."
        ),
        tools=named(
            inferencex=(
                "output_tput_per_gpu",
                "differs",
                N_(
                    "Over the decode GPUs in split deployments, but over the whole run; rows of its offline decode "
                    "benchmark are of the phase, and their decode_step_tput_per_gpu counts steps."
                ),
            ),
        ),
    ),
    Axis(
        key="prefill_time",
        name=N_("prefill computation time (milliseconds or seconds)"),
        definition=N_(
            "Time that the server computes the prompt of a request, without waiting in a queue and without the network."
        ),
        formula=N_(
            "t_end - t_start, where t_start is the start of the request's first prefill and t_end the end of its last "
            "one."
        ),
        units=("ms", "s"),
        direction="lower",
        tail=SLOW_IS_HIGH,
        numerator=N_("Time of the prefill passes of one request."),
        denominator=N_("One request; no GPUs."),
        window=N_("Opens at the start of the first prefill pass of the request, closes at the end of its last."),
        matters=PREFILL,
        source=N_(
            "Benchcard's definition. The vLLM post of 2026-10-07 gives a prefill time that it measured as the TTFT of "
            "a single request."
        ),
        tools=named(
            aiperf=(
                "stream_prefill_latency",
                "differs",
                N_(
                    "TTFT less the time to the response's headers, seen from the client; means nothing where the "
                    "server sends headers only with the first token."
                ),
            ),
            inference_perf=(
                "request_prefill_time",
                "differs",
                N_(
                    "Passed on from the server's own metrics; vLLM's runs from scheduling to the first token, waits "
                    "between chunks included."
                ),
            ),
        ),
    ),
    Axis(
        key="decode_step_time",
        name=N_("time of one decode step (milliseconds)"),
        definition=N_(
            "Time of one decode step of the engine over its running batch, however many tokens the step makes."
        ),
        formula=N_(
            "t_end - t_start of one step; with speculation, tokens per second of a stream = acceptance length / step "
            "time."
        ),
        units=("ms",),
        direction="lower",
        tail=_TIME_TAIL,
        numerator=N_(
            "Time of a step; whether drafting and sampling are in it beside the forward pass is as the source states."
        ),
        denominator=N_("One step, not one token; no GPUs."),
        window=N_(
            "Opens at the start of the step, closes at its end: of the model's forward pass, or of the engine's "
            "iteration."
        ),
        matters=SERVING,
        source=N_(
            "Benchcard's definition; the vLLM post of 2026-10-07 gives the forward time per step for one kernel change."
        ),
        tools=named(
            inferencex=(
                "decode_round_tpot_ms",
                "same",
                N_(
                    "Only in its offline decode benchmark: the engine's whole iteration, outliers on the slow side "
                    "dropped; in spite of the name it is a time per step, and TPOT only after division by the tokens "
                    "per step."
                ),
            ),
        ),
    ),
    Axis(
        key="layer_time",
        name=N_("time of one layer (milliseconds or microseconds)"),
        definition=N_(
            "Time of one layer of the model, or of one kind of work in it summed over its kernels, for a stated shape."
        ),
        formula=N_("t_end - t_start on the GPU; a ratio on this axis is time before / time after."),
        units=("ms", "us"),
        direction="lower",
        tail=_TIME_TAIL,
        numerator=N_("Time on the GPU of the layer's kernels."),
        denominator=N_("One layer, one pass; no GPUs."),
        window=N_("Opens at the start of the layer's first kernel, closes at the end of its last."),
        matters=KERNEL,
        source=N_(
            "Benchcard's definition for claims at layer scope; how repeated launches are summed up is as the source "
            "states it."
        ),
        tools=absent_everywhere(OUTSIDE_LOAD_TOOLS),
    ),
    Axis(
        key="kernel_time",
        name=N_("time of one kernel or path (milliseconds or microseconds)"),
        definition=N_("Time of one kernel, or of the chain of kernels that a fused one replaces, for a stated shape."),
        formula=N_(
            "t_end - t_start on the GPU; a ratio on this axis is time before / time after and says nothing of the "
            "whole."
        ),
        units=("ms", "us"),
        direction="lower",
        tail=_TIME_TAIL,
        numerator=N_("Time on the GPU of the kernel or the chain."),
        denominator=N_("One launch; no GPUs."),
        window=N_(
            "Opens at the start of the kernel or chain, closes at its end; the time to launch it is in it only where "
            "stated."
        ),
        matters=KERNEL,
        source=N_(
            "Benchcard's definition for claims at kernel scope; how repeated launches are summed up is as the source "
            "states it."
        ),
        tools=absent_everywhere(OUTSIDE_LOAD_TOOLS),
    ),
    Axis(
        key="itl_slope",
        name=N_("growth of ITL with context (milliseconds per context token)"),
        definition=N_(
            "How much the inter-token latency of one stream grows per token of context: the slope of a straight line."
        ),
        formula=N_(
            "b of the least-squares line ITL(L) = a + b * L, where L is the context length in tokens and ITL is in ms."
        ),
        units=("ms/token",),
        direction="lower",
        tail=N_("A fit, so no percentile; which ITL statistic is fitted is a condition, and is often not stated."),
        numerator=N_("Inter-token latency in ms."),
        denominator=N_("Tokens of context; no GPUs."),
        window=N_("Of every ITL in the fit: opens at one token event, closes at the next."),
        matters=SERVING,
        source=N_("The vLLM post on FP8 KV cache of 2026-04-22."),
        tools=absent_everywhere(OUTSIDE_LOAD_TOOLS),
    ),
    Axis(
        key="itl_intercept",
        name=N_("ITL at zero context (milliseconds)"),
        definition=N_(
            "The inter-token latency that the fitted line gives at zero context: the part that does not read the KV "
            "cache."
        ),
        formula=N_(
            "a of the least-squares line ITL(L) = a + b * L, where L is the context length in tokens and ITL is in ms."
        ),
        units=("ms",),
        direction="lower",
        tail=N_("A fit, so no percentile; which ITL statistic is fitted is a condition, and is often not stated."),
        numerator=N_("Inter-token latency in ms, extrapolated."),
        denominator=N_("One gap between tokens; no GPUs."),
        window=N_("Of every ITL in the fit: opens at one token event, closes at the next."),
        matters=SERVING,
        source=N_("The vLLM post on FP8 KV cache of 2026-04-22."),
        tools=absent_everywhere(OUTSIDE_LOAD_TOOLS),
    ),
)

"""Axes of what one user sees while a deployment serves many: interactivity, and throughput under a limit on it."""

from __future__ import annotations

from app.axes.registry import PER_GPU, SERVING, Axis, named
from app.language import N_

_FIRST_TO_LAST = N_(
    "Of every request: opens at the arrival of the first event that carries at least one token, closes at the arrival "
    "of the last such event."
)
_GOODPUT = N_(
    "Counts the requests that each meet the limits, not the throughput of a point whose statistic meets them."
)

INTERACTIVITY = (
    Axis(
        key="per_gpu_at_limit",
        name=N_("throughput per GPU at an interactivity limit (total tokens per second per GPU)"),
        definition=N_(
            "The highest total throughput per GPU among the measured points whose interactivity meets a stated limit."
        ),
        formula=N_(
            "max over measured points p with I(p) > L of sum(I_i + N_i) / (T * G) at p, where I(p) is the point's P90 "
            "interactivity (slow tail), L the limit in tok/s/user, I_i and N_i the input tokens, cached ones included, "
            "and the output tokens of request i, T the run's window in seconds and G all GPUs of the deployment."
        ),
        units=("tok/s/GPU",),
        direction="higher",
        tail=N_(
            "The limit holds for the slow tail: 1000 / P90 of TPOT in ms. With the fast tail, or with a median, more "
            "points pass and the number rises."
        ),
        numerator=N_(
            "Input plus output tokens, cached input in full, as AgentX counts; a number whose source does not say "
            "which tokens count stands on undefined_per_gpu."
        ),
        denominator=N_("Seconds of the run times all GPUs of the deployment."),
        window=N_(
            "Of every point: opens at the first measured request, closes at the last token event of the last one; only "
            "measured points count, and a number read off between two points is marked as interpolated."
        ),
        matters=PER_GPU,
        source=N_(
            "Benchcard's definition after the vLLM AgentX post of 2026-09-08 (points with P90 interactivity above 50 "
            "tok/s/user) and the InferenceX dashboard of 2026-08."
        ),
        tools=named(
            vllm=("request_goodput", "differs", _GOODPUT),
            sglang=("request_goodput", "differs", _GOODPUT),
            guidellm=("request_goodput", "differs", _GOODPUT),
            aiperf=("goodput", "differs", _GOODPUT),
            inference_perf=("request_goodput, token_goodput", "differs", _GOODPUT),
            inferencex=(
                "tok/s/GPU at a chosen interactivity (dashboard)",
                "differs",
                N_(
                    "The same total, but interpolated along the Pareto front at exactly that interactivity, where no "
                    "point need have been measured."
                ),
            ),
        ),
    ),
    Axis(
        key="interactivity_p90_slow",
        name=N_("P90 interactivity, slow tail (tokens per second per user)"),
        definition=N_("The decode rate that nine of ten requests reach or exceed: the inverse of the P90 of TPOT."),
        formula=N_("1000 / P90(TPOT_i), where TPOT_i is the TPOT of request i in ms and P90 runs over all requests."),
        units=("tok/s/user",),
        direction="higher",
        tail=N_(
            "Slow tail, although the name says P90: the percentile is taken of the times, linear between the two "
            "nearest ranks, and then inverted. Ten requests with TPOT 10 11 12 13 14 15 16 18 25 40 ms give 37.7; P10 "
            "of their rates gives 38.5, the nearest rank 40.0, and P90 of their rates 91.8. A failed request counts as "
            "infinitely slow."
        ),
        numerator=N_("Output tokens of one request after its first token event."),
        denominator=N_("Seconds of that request's decode; per user, not per GPU."),
        window=_FIRST_TO_LAST,
        matters=SERVING,
        source=N_(
            "InferenceX main of 2026-08 (utils/process_result.py; for AgentX "
            "utils/agentic/aggregation/request_metrics.py)."
        ),
        tools=named(
            vllm=(
                "tokens_per_user (sweep plot_pareto)",
                "differs",
                N_(
                    "output_throughput over max_concurrency, else over the request rate, else over the peak in flight: "
                    "a mean without a tail."
                ),
            ),
            sglang=("none", "absent", N_("Its concurrency is the achieved mean number of requests in flight.")),
            guidellm=(
                "none",
                "absent",
                N_("Has to be computed from inter_token_latency_ms, whose percentiles weight by tokens."),
            ),
            aiperf=(
                "output_token_throughput_per_user, shown live as intvty",
                "differs",
                N_(
                    "Inverted per request before the percentile, so its P90 is the fast tail; its P10 comes near this "
                    "axis."
                ),
            ),
            genai_bench=(
                "output_inference_speed",
                "differs",
                N_("1 / TPOT per request before the percentile, so its p90 is the fast tail."),
            ),
            inferencex=(
                "p90_intvty",
                "same",
                N_(
                    "1000 / p90 of TPOT in ms; AgentX takes aiperf's inter_token_latency for TPOT. std_intvty of "
                    "fixed-length rows is 1000 / std and means nothing."
                ),
            ),
        ),
    ),
    Axis(
        key="interactivity_p90_fast",
        name=N_("P90 of the rates per user, fast tail (tokens per second per user)"),
        definition=N_("The decode rate that only one of ten requests exceeds: the P90 of the inverse of TPOT."),
        formula=N_("P90(1000 / TPOT_i), where TPOT_i is the TPOT of request i in ms and P90 runs over all requests."),
        units=("tok/s/user",),
        direction="higher",
        tail=N_(
            "Fast tail: every TPOT is inverted first, then the percentile of the rates is taken, linear between the "
            "two nearest ranks. Ten requests with TPOT 10 11 12 13 14 15 16 18 25 40 ms give 91.8 here and 37.7 as P90 "
            "interactivity, so a limit of 50 passes with the one and fails with the other."
        ),
        numerator=N_("Output tokens of one request after its first token event."),
        denominator=N_("Seconds of that request's decode; per user, not per GPU."),
        window=_FIRST_TO_LAST,
        matters=SERVING,
        source=N_("aiperf 0.13.0 (metrics/types/output_token_throughput_metrics.py)."),
        tools=named(
            aiperf=(
                "output_token_throughput_per_user",
                "same",
                N_(
                    "1 / inter_token_latency per request; a limit on its p90 speaks of the fastest tenth of the "
                    "requests only."
                ),
            ),
            genai_bench=(
                "output_inference_speed",
                "differs",
                N_("The same tail, but TPOT's window closes after the usage chunk."),
            ),
            inferencex=("p90_intvty", "differs", N_("The slow tail: inverts after the percentile.")),
        ),
    ),
    Axis(
        key="interactivity_e2e",
        name=N_("end-to-end normalised interactivity (tokens per second per user)"),
        definition=N_(
            "Output tokens per second of a request's whole time, TTFT included, that nine of ten requests reach or "
            "exceed."
        ),
        formula=N_(
            "1 / P90(E2EL_i / N_i), where E2EL_i is the end-to-end latency of request i in seconds and N_i its output "
            "tokens; another percentile where the source names one."
        ),
        units=("tok/s/user",),
        direction="higher",
        tail=N_(
            "Slow tail: the percentile is taken of seconds per token, linear between the two nearest ranks, and then "
            "inverted. sum(N_i) / sum(E2EL_i), which MLCommons endpoints #492 proposes under the name, is a mean "
            "without a tail."
        ),
        numerator=N_("All output tokens of one request."),
        denominator=N_("Seconds from sending that request to its last token event; per user, not per GPU."),
        window=N_("Of every request: opens when its bytes are written, closes at the arrival of its last token event."),
        matters=SERVING,
        source=N_("InferenceX main of 2026-08 (MODELS.md, AgentX guidelines)."),
        tools=named(
            guidellm=(
                "time_per_output_token_ms",
                "differs",
                N_(
                    "(t_last - start) / n: the inverse of its p90 is of this kind, but its percentiles weight a "
                    "request by its tokens and take the nearest rank."
                ),
            ),
            aiperf=(
                "e2e_output_token_throughput",
                "differs",
                N_("n / request latency per request before the percentile, so its p90 is the fast tail."),
            ),
            inference_perf=(
                "normalized_time_per_output_token (s)",
                "differs",
                N_("(end - start) / n as a time, to the end of the stream; the inverse of its p90 is of this kind."),
            ),
            inferencex=("e2e_norm_intvty", "same", N_("AgentX only, with aiperf's request_latency and output length.")),
        ),
    ),
)

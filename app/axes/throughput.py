"""Axes of a whole run: tokens and requests per second, in total and per GPU."""

from __future__ import annotations

from app.axes.registry import (
    NOT_DEFINED,
    ONE_PER_RUN,
    PER_GPU,
    RUN_WINDOW,
    SERVING,
    WHOLE_RUN,
    Axis,
    absent_everywhere,
    named,
)
from app.language import N_

_ALL_GPUS = N_(
    "Seconds of the run times all GPUs that the server's processes hold, the prefill and the decode pool together; "
    "expert and decode-context parallelism do not multiply the count."
)
_OUTPUT = N_("Output tokens of successful requests, reasoning tokens included; failed requests add none.")
_TOTAL = N_(
    "Input plus output tokens of successful requests; an input token counts in full even where it came from the prefix "
    "cache and was never computed."
)

THROUGHPUT = (
    Axis(
        key="output_throughput",
        name=N_("output throughput of the deployment (output tokens per second)"),
        definition=N_("Output tokens of all successful requests of a run per second of the run."),
        formula=N_(
            "sum(N_i) / T, where N_i is the output tokens of the successful request i and T the run's window in "
            "seconds."
        ),
        units=("tok/s",),
        direction="higher",
        tail=ONE_PER_RUN,
        numerator=_OUTPUT,
        denominator=WHOLE_RUN,
        window=RUN_WINDOW,
        matters=SERVING,
        source=N_(
            "Benchcard's definition; vLLM 0.33.0 (vllm/benchmarks/serve.py) has the same sum over nearly the same "
            "window."
        ),
        tools=named(
            vllm=(
                "output_throughput",
                "same",
                N_(
                    "The window closes when every request's task has ended; max_output_tokens_per_s beside it counts "
                    "events and not tokens."
                ),
            ),
            sglang=(
                "output_throughput",
                "differs",
                N_(
                    "On OpenAI routes n is the requested max_tokens, and the window also holds a GET of /server_info "
                    "and a profiler's stop; output_throughput_retokenized counts the text."
                ),
            ),
            guidellm=(
                "output_tokens_per_second",
                "differs",
                N_(
                    "A distribution of rates over time with a request's tokens spread evenly from its first to its "
                    "last event; its mean is of this kind, its percentiles are not, and of a single request the name "
                    "means n / latency."
                ),
            ),
            aiperf=(
                "output_token_throughput",
                "same",
                N_(
                    "From the first request to the last response; tokens are the client tokenizer's unless "
                    "--use-server-token-count is set."
                ),
            ),
            inference_perf=(
                "output_tokens_per_sec",
                "same",
                N_(
                    "From the first start to the last end, failed requests included; tokens come from tokenising the "
                    "text again unless use_server_output_tokens is set."
                ),
            ),
            genai_bench=(
                "mean_output_throughput_tokens_per_s",
                "differs",
                N_(
                    "Tokens left by the warm-up and cool-down filter, over the whole time; output_throughput is a "
                    "request's (n - 1) / (e2e_latency - TTFT)."
                ),
            ),
            inferencex=(
                "output_throughput, in AgentX output_tput_tps",
                "same",
                N_(
                    "Fixed lengths: a profiler's stop is in the window; AgentX: from the first start to the last end "
                    "of successful requests."
                ),
            ),
        ),
    ),
    Axis(
        key="total_throughput",
        name=N_("total throughput of the deployment (input and output tokens per second)"),
        definition=N_(
            "Input and output tokens of all successful requests of a run per second of the run, cached input included."
        ),
        formula=N_(
            "sum(I_i + N_i) / T, where I_i is the input tokens and N_i the output tokens of the successful request i, "
            "and T the run's window in seconds."
        ),
        units=("tok/s",),
        direction="higher",
        tail=ONE_PER_RUN,
        numerator=_TOTAL,
        denominator=WHOLE_RUN,
        window=RUN_WINDOW,
        matters=SERVING,
        source=N_(
            "Benchcard's definition; vLLM 0.33.0 (total_token_throughput) and aiperf 0.13.0 (total_token_throughput)."
        ),
        tools=named(
            vllm=(
                "total_token_throughput",
                "same",
                N_("Input tokens are the server's prompt_tokens where it reports them."),
            ),
            sglang=(
                "total_throughput",
                "differs",
                N_(
                    "Its output part is output_throughput, on OpenAI routes the requested tokens; the input part is "
                    "the client's own count."
                ),
            ),
            guidellm=(
                "tokens_per_second",
                "differs",
                N_(
                    "A distribution of rates over time in which all of a prompt's tokens fall on its first token event."
                ),
            ),
            aiperf=(
                "total_token_throughput",
                "same",
                N_("Tokens are the client tokenizer's unless --use-server-token-count is set."),
            ),
            inference_perf=(
                "total_tokens_per_sec",
                "same",
                N_("Failed requests stay in the time; output tokens as in output_tokens_per_sec."),
            ),
            genai_bench=(
                "mean_total_tokens_throughput_tokens_per_s",
                "differs",
                N_("Tokens left by the warm-up and cool-down filter, over the whole time."),
            ),
            inferencex=(
                "total_token_throughput, in AgentX total_tput_tps",
                "same",
                N_("AgentX adds the whole input length of every turn, of which most is cached."),
            ),
        ),
    ),
    Axis(
        key="output_per_gpu",
        name=N_("output throughput per GPU (output tokens per second per GPU)"),
        definition=N_("Output tokens per second of the run, divided by all GPUs of the deployment."),
        formula=N_(
            "sum(N_i) / (T * G), where N_i is the output tokens of the successful request i, T the run's window in "
            "seconds and G all GPUs that the server's processes hold."
        ),
        units=("tok/s/GPU",),
        direction="higher",
        tail=ONE_PER_RUN,
        numerator=_OUTPUT,
        denominator=_ALL_GPUS,
        window=RUN_WINDOW,
        matters=PER_GPU,
        source=N_(
            "Benchcard's definition; InferenceX main of 2026-08 (utils/process_result.py) for deployments of one pool."
        ),
        tools=named(
            vllm=(
                "tokens_per_gpu (sweep plot_pareto)",
                "same",
                N_(
                    "Only in the sweep's plot: output_throughput over the GPU count that the user names, else over TP "
                    "* PP * DP of the result file."
                ),
            ),
            aiperf=(
                "output_token_throughput_per_gpu (aiperf plot)",
                "same",
                N_("Only in its plots, over the GPUs that the run's telemetry saw."),
            ),
            inferencex=(
                "output_tput_per_gpu",
                "differs",
                N_(
                    "Equal where one pool does both phases; split deployments are divided by the decode GPUs only, "
                    "except in AgentX, which divides by all. tput_per_gpu is not this number but the total."
                ),
            ),
        ),
    ),
    Axis(
        key="total_per_gpu",
        name=N_("total throughput per GPU (input, cached and output tokens per second per GPU)"),
        definition=N_(
            "Input and output tokens per second of the run, divided by all GPUs of the deployment; cached input tokens "
            "count in full."
        ),
        formula=N_(
            "sum(I_i + N_i) / (T * G), where I_i is the input tokens, cached ones included, and N_i the output tokens "
            "of the successful request i, T the run's window in seconds and G all GPUs that the server's processes "
            "hold."
        ),
        units=("tok/s/GPU",),
        direction="higher",
        tail=ONE_PER_RUN,
        numerator=_TOTAL,
        denominator=_ALL_GPUS,
        window=RUN_WINDOW,
        matters=PER_GPU,
        source=N_(
            "InferenceX main of 2026-08 (utils/process_result.py; utils/agentic/aggregation for AgentX); the vLLM "
            "AgentX post of 2026-09-08 counts the same under the name TPGS."
        ),
        tools=named(
            inferencex=(
                "tput_per_gpu, in AgentX per_gpu total_tput_tps",
                "same",
                N_(
                    "Total, input and output together, over all GPUs (TP * PP * PCP on one node); rows of its offline "
                    "decode benchmark carry an output-only rate under the same name."
                ),
            ),
        ),
    ),
    Axis(
        key="undefined_per_gpu",
        name=N_("tokens per second per GPU, output or total not stated"),
        definition=N_(
            "Tokens per second per GPU of which the source does not say whether input tokens count; it is kept apart "
            "because in agentic runs the two readings lie a hundredfold apart."
        ),
        formula=N_(
            "tokens / (T * G), where T is the time in seconds, G the number of GPUs, and which tokens count is not "
            "stated."
        ),
        units=("tok/s/GPU",),
        direction="higher",
        tail=N_("Not stated."),
        numerator=N_("Not stated: output tokens, or input and output together."),
        denominator=N_("GPUs as the source counts them."),
        window=N_("Not stated."),
        matters=PER_GPU,
        source=N_("Benchcard's place for numbers whose source does not define them."),
        tools=absent_everywhere(NOT_DEFINED),
    ),
    Axis(
        key="request_throughput",
        name=N_("request throughput (requests per second)"),
        definition=N_("Requests that ended successfully per second of the run."),
        formula=N_("R / T, where R is the number of successful requests and T the run's window in seconds."),
        units=("req/s",),
        direction="higher",
        tail=ONE_PER_RUN,
        numerator=N_("Successful requests, whatever their length."),
        denominator=WHOLE_RUN,
        window=RUN_WINDOW,
        matters=SERVING,
        source=N_(
            "Benchcard's definition; vLLM 0.33.0 (request_throughput). It is the achieved rate, not the requested one."
        ),
        tools=named(
            vllm=("request_throughput", "same", N_("request_rate in the same file is what was asked for.")),
            sglang=(
                "request_throughput",
                "same",
                N_("The window also holds a GET of /server_info and a profiler's stop."),
            ),
            guidellm=(
                "requests_per_second",
                "differs",
                N_("A distribution of rates over time, from the requests' ends."),
            ),
            aiperf=("request_throughput", "same", N_("Successful requests only.")),
            inference_perf=(
                "requests_per_sec",
                "same",
                N_("Failed requests stay in the time; achieved_rate beside it is the rate of sending."),
            ),
            genai_bench=(
                "requests_per_second",
                "same",
                N_("Requests of the warm-up and cool-down count, in the number and in the time."),
            ),
            inferencex=(
                "request_throughput, in AgentX qps",
                "same",
                N_("Fixed lengths only; AgentX's qps is the mean of the requests that ended in each second."),
            ),
        ),
    ),
    Axis(
        key="run_duration",
        name=N_("duration of the run (seconds)"),
        definition=N_("Time that a fixed set of requests takes from the first to the last."),
        formula=N_(
            "T = max(t_last_i) - min(t_sent_i) in seconds, where t_sent_i is the time at which the bytes of request i "
            "were written and t_last_i the arrival of its last token event."
        ),
        units=("s",),
        direction="lower",
        tail=N_("One number per run, so no percentile inside it; over repeated runs the slow side is the high one."),
        numerator=N_("Time of the whole run; it means something only for a stated set of requests."),
        denominator=N_("The run; no GPUs."),
        window=RUN_WINDOW,
        matters=SERVING,
        source=N_("Benchcard's definition; aiperf 0.13.0 (benchmark_duration)."),
        tools=named(
            vllm=("duration", "same", N_("Closes when every request's task has ended.")),
            sglang=("duration", "differs", N_("Also holds a GET of /server_info and a profiler's stop.")),
            guidellm=(
                "duration",
                "differs",
                N_("The span between the warm-up and the cool-down cut, whatever requests lie across its edges."),
            ),
            aiperf=("benchmark_duration", "same", N_("From the first request to the last response.")),
            inference_perf=(
                "benchmark_time_seconds",
                "same",
                N_("Ends at the end of the last stream, failed requests included."),
            ),
            genai_bench=(
                "run_duration",
                "differs",
                N_("Time of the whole iteration, its warm-up and cool-down requests included."),
            ),
            inferencex=(
                "duration, in AgentX duration_seconds",
                "same",
                N_(
                    "AgentX: from the first start to the last end of successful requests, within a fixed time of "
                    "replay."
                ),
            ),
        ),
    ),
)

"""Axes of one stream: its rate, and its times per token."""

from __future__ import annotations

from app.axes.registry import SERVING, SLOW_IS_HIGH, Axis, named
from app.language import N_

_FIRST_TO_LAST = N_(
    "Opens at the arrival of the first event that carries at least one token, closes at the arrival of the last such "
    "event; the usage chunk, [DONE] and the end of the connection close nothing."
)

LATENCY = (
    Axis(
        key="decode_rate",
        name=N_("decode rate of one stream (tokens per second)"),
        definition=N_(
            "How fast the tokens of one stream follow each other once the first token event is there; the prefill is "
            "not in it, and how many other streams run is a condition."
        ),
        formula=N_(
            "rate = (N - N_first) / (t_last - t_first), where N is the output tokens of the stream, N_first the tokens "
            "in its first token event, and t_first and t_last are the arrivals in seconds of the first and the last "
            "token event; not defined where token events arrive at fewer than two instants."
        ),
        units=("tok/s",),
        direction="higher",
        tail=N_(
            "The slow tail is the lower one: P90 of the rate is a fast stream. The slow side is P10 of the rate, or "
            "1000 / P90 of TPOT, which interpolates before the inversion and so is not exactly P10."
        ),
        numerator=N_("Output tokens after the first token event; reasoning tokens count."),
        denominator=N_("Seconds of that one stream; the number of GPUs is a condition, not a divisor."),
        window=_FIRST_TO_LAST,
        matters=SERVING,
        memory_limited=True,
        source=N_(
            "Benchcard's definition; the SGLang post on DeepSeek-V4.1-Flash kernels (undated, public by 2026-09-12) "
            "states the same window for its numbers."
        ),
        tools=named(
            vllm=(
                "none",
                "absent",
                N_("Prints no rate of one stream; 1000 / TPOT of a request is it with n - 1 tokens."),
            ),
            sglang=(
                "none",
                "absent",
                N_(
                    "Prints no rate of one stream, and 1000 / TPOT is not it: that window runs to [DONE], and on "
                    "OpenAI routes the tokens are those asked for."
                ),
            ),
            guidellm=(
                "output_tokens_per_second (of a request)",
                "differs",
                N_("n / request latency, so the wait for the first token slows it."),
            ),
            aiperf=(
                "output_token_throughput_per_user",
                "same",
                N_(
                    "1 / inter_token_latency of a request; N_first is taken as 1 unless --per-chunk-usage reports it, "
                    "and tokens are the client tokenizer's unless --use-server-token-count is set."
                ),
            ),
            genai_bench=(
                "output_inference_speed",
                "differs",
                N_("1 / TPOT of a request, with n - 1 tokens and a window that closes after the usage chunk."),
            ),
            inferencex=(
                "median_intvty, mean_intvty",
                "differs",
                N_("Inverse of a TPOT statistic over requests, not a statistic of the rates of streams."),
            ),
        ),
    ),
    Axis(
        key="tpot",
        name=N_("TPOT, time per output token (milliseconds)"),
        definition=N_("Mean time between the output tokens of one request after its first token event."),
        formula=N_(
            "TPOT = 1000 * (t_last - t_first) / (N - N_first), where t_first and t_last are the arrivals in seconds of "
            "the first and the last token event, N is the request's output tokens and N_first the tokens in its first "
            "token event; not defined where token events arrive at fewer than two instants."
        ),
        units=("ms",),
        direction="lower",
        tail=SLOW_IS_HIGH,
        numerator=N_("Time between the first and the last token event of a request; TTFT is not in it."),
        denominator=N_("Output tokens after the first token event; no GPUs."),
        window=_FIRST_TO_LAST,
        matters=SERVING,
        source=N_(
            "Benchcard's definition. vLLM 0.33.0 (vllm/benchmarks/serve.py) has (latency - TTFT) / (n - 1), which "
            "presumes one token in the first event."
        ),
        tools=named(
            vllm=(
                "TPOT (mean_tpot_ms, p99_tpot_ms)",
                "same",
                N_(
                    "(latency - TTFT) / (n - 1): k tokens in the first event make it too low by the share (k - 1) / (n "
                    "- 1), and an empty first chunk opens the window early."
                ),
            ),
            sglang=(
                "TPOT (mean_tpot_ms)",
                "differs",
                N_(
                    "The time runs to the last line, [DONE] included; on OpenAI routes n is the requested max_tokens "
                    "unless a text chunk carries usage, so a reply that stops early looks fast."
                ),
            ),
            guidellm=(
                "time_per_output_token_ms",
                "differs",
                N_(
                    "(t_last - start) / n, so it includes TTFT, and percentiles weight a request by its tokens; "
                    "inter_token_latency_ms, (t_last - t_first) / (n - 1), is the number nearest to this axis."
                ),
            ),
            aiperf=(
                "inter_token_latency",
                "same",
                N_(
                    "(request latency - TTFT) / (n - 1) of a request, or over n - tokens of the first chunk with "
                    "--per-chunk-usage; n is the client tokenizer's unless --use-server-token-count is set."
                ),
            ),
            inference_perf=(
                "time_per_output_token (s)",
                "same",
                N_(
                    "(t_last - t_first) / (n - 1), with n from tokenising the text again unless "
                    "use_server_output_tokens is set; normalized_time_per_output_token is another number and includes "
                    "TTFT."
                ),
            ),
            genai_bench=(
                "tpot (s)",
                "differs",
                N_(
                    "(e2e_latency - TTFT) / (n - 1), where e2e_latency ends after the usage chunk; left out when that "
                    "time is under 1 ms."
                ),
            ),
            inferencex=(
                "mean_tpot, p90_tpot (s)",
                "same",
                N_(
                    "Fixed lengths: vLLM's formula, but a request whose usage rides on a text chunk has n = 0 and no "
                    "TPOT; AgentX: aiperf's inter_token_latency."
                ),
            ),
        ),
    ),
    Axis(
        key="event_gap",
        name=N_("event gap, time between two stream events (milliseconds)"),
        definition=N_(
            "Time between two consecutive token events of one stream, however many tokens the later one carries."
        ),
        formula=N_(
            "gap_i = 1000 * (t_i - t_(i-1)) for i = 2 .. E, where t_i is the arrival in seconds of the i-th token "
            "event and E the number of token events of the stream."
        ),
        units=("ms",),
        direction="lower",
        tail=N_(
            "The slow tail is the upper one. Percentile over the gaps of all requests in one pool, linear between the "
            "two nearest ranks, so long replies weigh more."
        ),
        numerator=N_("Time between two token events; events without a token are passed over."),
        denominator=N_("One event, not one token: with speculation a gap covers several tokens; no GPUs."),
        window=N_("Opens at the arrival of one token event, closes at the arrival of the next in the same stream."),
        matters=SERVING,
        source=N_("Benchcard's definition; aiperf 0.13.0 calls it inter-chunk latency, vLLM 0.33.0 calls it ITL."),
        tools=named(
            vllm=(
                "ITL (mean_itl_ms, p99_itl_ms)",
                "same",
                N_(
                    "A gap per event, never divided by the event's tokens, so speculation makes it longer than TPOT; "
                    "on completions a chunk with empty text counts too."
                ),
            ),
            sglang=(
                "ITL (mean_itl_ms)",
                "differs",
                N_(
                    "Native /generate divides a gap by its new tokens; OpenAI routes give the gap as it is, unless the "
                    "server tells an accept length, and then split it by the chunk's tokens."
                ),
            ),
            guidellm=(
                "none",
                "absent",
                N_("Gaps are not kept; inter_token_latency_ms is one average per request."),
            ),
            aiperf=(
                "inter_chunk_latency",
                "same",
                N_("Content chunks only; its inter_token_latency is not a gap but the average of a request."),
            ),
            inference_perf=(
                "inter_token_latency (s)",
                "differs",
                N_("Adds a zero for every further token of a chunk, which pulls the mean and most percentiles down."),
            ),
            inferencex=(
                "mean_itl (s)",
                "same",
                N_(
                    "In fixed-length runs, a gap per chunk; in AgentX itl is aiperf's average of a request and belongs "
                    "to TPOT."
                ),
            ),
        ),
    ),
    Axis(
        key="token_itl",
        name=N_("token ITL, time between tokens (milliseconds per token)"),
        definition=N_(
            "Time per token inside a stream: each event gap is shared equally among the tokens of the event that ends "
            "it, and every token counts once."
        ),
        formula=N_(
            "for event i = 2 .. E: k_i entries of 1000 * (t_i - t_(i-1)) / k_i, where t_i is the arrival in seconds of "
            "the i-th token event, k_i its number of tokens and E the number of token events."
        ),
        units=("ms",),
        direction="lower",
        tail=N_(
            "The slow tail is the upper one. Percentile over the tokens of all requests in one pool, linear between "
            "the two nearest ranks; the sharing hides when tokens inside one event were made."
        ),
        numerator=N_("Time between two token events."),
        denominator=N_("Tokens of the later event; no GPUs."),
        window=N_("Opens at the arrival of one token event, closes at the arrival of the next in the same stream."),
        matters=SERVING,
        source=N_(
            "Benchcard's definition; the native route of SGLang 0.5.23 (benchmark/serving.py) shares a gap the same "
            "way."
        ),
        tools=named(
            vllm=(
                "ITL (mean_itl_ms)",
                "differs",
                N_("A gap per event and not per token: three tokens every 30 ms read 30 ms there and 10 ms here."),
            ),
            sglang=(
                "ITL (mean_itl_ms)",
                "same",
                N_(
                    "On native /generate; OpenAI routes share a gap, by tokenising the text again, only where the "
                    "server tells an accept length, and else give the gap per event."
                ),
            ),
            guidellm=(
                "inter_token_latency_ms",
                "differs",
                N_(
                    "One average per request, (t_last - t_first) / (n - 1), weighted by n - 1: no spread inside a "
                    "stream."
                ),
            ),
            aiperf=(
                "inter_token_latency",
                "differs",
                N_("One average per request, each request weighing the same: no spread inside a stream."),
            ),
            inference_perf=(
                "inter_token_latency (s)",
                "differs",
                N_(
                    "One entry per token, but the first token of a chunk takes the whole gap and the others 0, so the "
                    "mean is near and the percentiles are not."
                ),
            ),
            inferencex=(
                "mean_itl (s)",
                "differs",
                N_("A gap per chunk in fixed-length runs, the average of a request in AgentX."),
            ),
        ),
    ),
)

"""Axes of one request or one stream: its rate, its times per token, its waits."""

from __future__ import annotations

from app.axes.registry import PREFILL, SERVING, SLOW_IS_HIGH, Axis, named

_FIRST_TO_LAST = (
    "Opens at the arrival of the first event that carries at least one token, closes at the arrival of the last such "
    "event; the usage chunk, [DONE] and the end of the connection close nothing."
)

LATENCY = (
    Axis(
        key="decode_rate",
        name="decode rate of one stream (tokens per second)",
        definition=(
            "How fast the tokens of one stream follow each other once the first token event is there; the prefill is "
            "not in it, and how many other streams run is a condition."
        ),
        formula=(
            "rate = (N - N_first) / (t_last - t_first), where N is the output tokens of the stream, N_first the tokens"
            " in its first token event, and t_first and t_last are the arrivals in seconds of the first and the last "
            "token event; not defined with fewer than two token events."
        ),
        units=("tok/s",),
        direction="higher",
        tail=(
            "The slow tail is the lower one: P90 of the rate is a fast stream. The slow side is P10 of the rate, or "
            "1000 / P90 of TPOT, which interpolates before the inversion and so is not exactly P10."
        ),
        numerator="Output tokens after the first token event; reasoning tokens count.",
        denominator="Seconds of that one stream; the number of GPUs is a condition, not a divisor.",
        window=_FIRST_TO_LAST,
        matters=SERVING,
        memory_limited=True,
        source=(
            "Benchcard's definition; the SGLang post on DeepSeek-V4.1-Flash kernels (undated, public by 2026-09-12) "
            "states the same window for its numbers."
        ),
        tools=named(
            vllm=("none", "absent", "Prints no rate of one stream; 1000 / TPOT of a request is it with n - 1 tokens."),
            sglang=(
                "none",
                "absent",
                "Prints no rate of one stream, and 1000 / TPOT is not it: that window runs to [DONE], and on OpenAI "
                "routes the tokens are those asked for.",
            ),
            guidellm=(
                "output_tokens_per_second (of a request)",
                "differs",
                "n / request latency, so the wait for the first token slows it.",
            ),
            aiperf=(
                "output_token_throughput_per_user",
                "same",
                "1 / inter_token_latency of a request; N_first is taken as 1 unless --per-chunk-usage reports it, and "
                "tokens are the client tokenizer's unless --use-server-token-count is set.",
            ),
            genai_bench=(
                "output_inference_speed",
                "differs",
                "1 / TPOT of a request, with n - 1 tokens and a window that closes after the usage chunk.",
            ),
            inferencex=(
                "median_intvty, mean_intvty",
                "differs",
                "Inverse of a TPOT statistic over requests, not a statistic of the rates of streams.",
            ),
        ),
    ),
    Axis(
        key="tpot",
        name="TPOT, time per output token (milliseconds)",
        definition="Mean time between the output tokens of one request after its first token event.",
        formula=(
            "TPOT = 1000 * (t_last - t_first) / (N - N_first), where t_first and t_last are the arrivals in seconds of"
            " the first and the last token event, N is the request's output tokens and N_first the tokens in its first"
            " token event; not defined with fewer than two token events."
        ),
        units=("ms",),
        direction="lower",
        tail=SLOW_IS_HIGH,
        numerator="Time between the first and the last token event of a request; TTFT is not in it.",
        denominator="Output tokens after the first token event; no GPUs.",
        window=_FIRST_TO_LAST,
        matters=SERVING,
        source=(
            "Benchcard's definition. vLLM 0.33.0 (vllm/benchmarks/serve.py) has (latency - TTFT) / (n - 1), which "
            "presumes one token in the first event."
        ),
        tools=named(
            vllm=(
                "TPOT (mean_tpot_ms, p99_tpot_ms)",
                "same",
                "(latency - TTFT) / (n - 1): k tokens in the first event make it too low by the share (k - 1) / (n - "
                "1), and an empty first chunk opens the window early.",
            ),
            sglang=(
                "TPOT (mean_tpot_ms)",
                "differs",
                "The time runs to the last line, [DONE] included; on OpenAI routes n is the requested max_tokens "
                "unless a text chunk carries usage, so a reply that stops early looks fast.",
            ),
            guidellm=(
                "time_per_output_token_ms",
                "differs",
                "(t_last - start) / n, so it includes TTFT, and percentiles weight a request by its tokens; "
                "inter_token_latency_ms, (t_last - t_first) / (n - 1), is the number nearest to this axis.",
            ),
            aiperf=(
                "inter_token_latency",
                "same",
                "(request latency - TTFT) / (n - 1) of a request, or over n - tokens of the first chunk with "
                "--per-chunk-usage; n is the client tokenizer's unless --use-server-token-count is set.",
            ),
            inference_perf=(
                "time_per_output_token (s)",
                "same",
                "(t_last - t_first) / (n - 1), with n from tokenising the text again unless use_server_output_tokens "
                "is set; normalized_time_per_output_token is another number and includes TTFT.",
            ),
            genai_bench=(
                "tpot (s)",
                "differs",
                "(e2e_latency - TTFT) / (n - 1), where e2e_latency ends after the usage chunk; left out when that time"
                " is under 1 ms.",
            ),
            inferencex=(
                "mean_tpot, p90_tpot (s)",
                "same",
                "Fixed lengths: vLLM's formula, but a request whose usage rides on a text chunk has n = 0 and no TPOT;"
                " AgentX: aiperf's inter_token_latency.",
            ),
        ),
    ),
    Axis(
        key="event_gap",
        name="event gap, time between two stream events (milliseconds)",
        definition=(
            "Time between two consecutive token events of one stream, however many tokens the later one carries."
        ),
        formula=(
            "gap_i = 1000 * (t_i - t_(i-1)) for i = 2 .. E, where t_i is the arrival in seconds of the i-th token "
            "event and E the number of token events of the stream."
        ),
        units=("ms",),
        direction="lower",
        tail=(
            "The slow tail is the upper one. Percentile over the gaps of all requests in one pool, linear between the "
            "two nearest ranks, so long replies weigh more."
        ),
        numerator="Time between two token events; events without a token are passed over.",
        denominator="One event, not one token: with speculation a gap covers several tokens; no GPUs.",
        window="Opens at the arrival of one token event, closes at the arrival of the next in the same stream.",
        matters=SERVING,
        source="Benchcard's definition; aiperf 0.13.0 calls it inter-chunk latency, vLLM 0.33.0 calls it ITL.",
        tools=named(
            vllm=(
                "ITL (mean_itl_ms, p99_itl_ms)",
                "same",
                "A gap per event, never divided by the event's tokens, so speculation makes it longer than TPOT; on "
                "completions a chunk with empty text counts too.",
            ),
            sglang=(
                "ITL (mean_itl_ms)",
                "differs",
                "Native /generate divides a gap by its new tokens; OpenAI routes give the gap as it is, unless the "
                "server tells an accept length, and then split it by the chunk's tokens.",
            ),
            guidellm=(
                "none",
                "absent",
                "Gaps are not kept; inter_token_latency_ms is one average per request.",
            ),
            aiperf=(
                "inter_chunk_latency",
                "same",
                "Content chunks only; its inter_token_latency is not a gap but the average of a request.",
            ),
            inference_perf=(
                "inter_token_latency (s)",
                "differs",
                "Adds a zero for every further token of a chunk, which pulls the mean and most percentiles down.",
            ),
            inferencex=(
                "mean_itl (s)",
                "same",
                "In fixed-length runs, a gap per chunk; in AgentX itl is aiperf's average of a request and belongs to "
                "TPOT.",
            ),
        ),
    ),
    Axis(
        key="token_itl",
        name="token ITL, time between tokens (milliseconds per token)",
        definition=(
            "Time per token inside a stream: each event gap is shared equally among the tokens of the event that ends "
            "it, and every token counts once."
        ),
        formula=(
            "for event i = 2 .. E: k_i entries of 1000 * (t_i - t_(i-1)) / k_i, where t_i is the arrival in seconds of"
            " the i-th token event, k_i its number of tokens and E the number of token events."
        ),
        units=("ms",),
        direction="lower",
        tail=(
            "The slow tail is the upper one. Percentile over the tokens of all requests in one pool, linear between "
            "the two nearest ranks; the sharing hides when tokens inside one event were made."
        ),
        numerator="Time between two token events.",
        denominator="Tokens of the later event; no GPUs.",
        window="Opens at the arrival of one token event, closes at the arrival of the next in the same stream.",
        matters=SERVING,
        source=(
            "Benchcard's definition; the native route of SGLang 0.5.23 (benchmark/serving.py) shares a gap the same "
            "way."
        ),
        tools=named(
            vllm=(
                "ITL (mean_itl_ms)",
                "differs",
                "A gap per event and not per token: three tokens every 30 ms read 30 ms there and 10 ms here.",
            ),
            sglang=(
                "ITL (mean_itl_ms)",
                "same",
                "On native /generate; OpenAI routes share a gap, by tokenising the text again, only where the server "
                "tells an accept length, and else give the gap per event.",
            ),
            guidellm=(
                "inter_token_latency_ms",
                "differs",
                "One average per request, (t_last - t_first) / (n - 1), weighted by n - 1: no spread inside a stream.",
            ),
            aiperf=(
                "inter_token_latency",
                "differs",
                "One average per request, each request weighing the same: no spread inside a stream.",
            ),
            inference_perf=(
                "inter_token_latency (s)",
                "differs",
                "One entry per token, but the first token of a chunk takes the whole gap and the others 0, so the mean"
                " is near and the percentiles are not.",
            ),
            inferencex=(
                "mean_itl (s)",
                "differs",
                "A gap per chunk in fixed-length runs, the average of a request in AgentX.",
            ),
        ),
    ),
    Axis(
        key="ttft",
        name="TTFT, time to first token (milliseconds)",
        definition=(
            "Time from writing a request's bytes to the first event that carries at least one token, reasoning tokens "
            "included; connecting and waiting in the client's own queue are reported apart."
        ),
        formula=(
            "TTFT = 1000 * (t_first - t_sent), where t_sent is the time in seconds at which the request's bytes were "
            "written to an open connection and t_first the arrival of the first event with at least one token."
        ),
        units=("ms",),
        direction="lower",
        tail=SLOW_IS_HIGH,
        numerator="Time up to the first token event; its text may be empty as long as it carries a token.",
        denominator="One request; no GPUs.",
        window=(
            "Opens when the request's bytes are written to an open connection, closes at the arrival of the first "
            "event with at least one token; a role chunk or an event without a token does not close it."
        ),
        matters=PREFILL,
        source="Benchcard's definition; guidellm 0.8.1 also leaves the connect out.",
        tools=named(
            vllm=(
                "TTFT (mean_ttft_ms)",
                "same",
                "Opens before serialising and before a connect where none is pooled; on completions the first chunk "
                "with choices counts even if its text is empty.",
            ),
            sglang=(
                "TTFT (mean_ttft_ms)",
                "differs",
                "A new TCP connection per request is in it; waits for the first non-empty text, and is 0.0 for a reply"
                " without text.",
            ),
            guidellm=(
                "time_to_first_token_ms",
                "same",
                "From the first header written to the first line with text, connect left out; stamped with the wall "
                "clock.",
            ),
            aiperf=(
                "time_to_first_token",
                "same",
                "From the start of the request, a connect included where none is pooled; reasoning counts, and "
                "time_to_first_output_token leaves it out.",
            ),
            inference_perf=(
                "time_to_first_token (s)",
                "same",
                "From before the post, with the body serialised, to the first chunk with text; only replies of more "
                "than one token have one.",
            ),
            genai_bench=("ttft (s)", "differs", "A new TCP connection per request is in it."),
            inferencex=(
                "mean_ttft (s)",
                "differs",
                "Fixed lengths: a new TCP connection is in it and an empty first chunk counts; AgentX: aiperf's TTFT.",
            ),
        ),
    ),
    Axis(
        key="e2e_latency",
        name="end-to-end latency of a request (milliseconds or seconds)",
        definition="Time from writing a request's bytes to its last token event.",
        formula=(
            "E2EL = t_last - t_sent, where t_sent is the time at which the request's bytes were written to an open "
            "connection and t_last the arrival of the last event with at least one token."
        ),
        units=("ms", "s"),
        direction="lower",
        tail=SLOW_IS_HIGH,
        numerator=(
            "Time of the whole request: waiting at the server, prefill and decode; it grows with the output length."
        ),
        denominator="One request; no GPUs.",
        window=(
            "Opens when the request's bytes are written to an open connection, closes at the arrival of the last event"
            " with at least one token."
        ),
        matters=SERVING,
        source=(
            "Benchcard's definition; vLLM 0.33.0 (E2EL) and aiperf 0.13.0 (request_latency) close it at the same event."
        ),
        tools=named(
            vllm=(
                "E2EL (mean_e2el_ms)",
                "same",
                "To the last token chunk; the wait in the client's own queue is reported apart.",
            ),
            sglang=(
                "E2E latency (mean_e2e_latency_ms)",
                "differs",
                "To the last line, [DONE] included; connect in it.",
            ),
            guidellm=("request_latency (s)", "differs", "To the close of the stream, after usage and [DONE]."),
            aiperf=("request_latency", "same", "To the last content chunk; chunks with usage only do not move it."),
            inference_perf=("request_latency (s)", "differs", "To the end of the stream."),
            genai_bench=("e2e_latency (s)", "differs", "To after the usage chunk; connect in it."),
            inferencex=(
                "mean_e2el (s)",
                "same",
                "Fixed lengths: to the last chunk with choices, in chat to the usage chunk, connect in it; AgentX: "
                "aiperf's request_latency.",
            ),
        ),
    ),
)

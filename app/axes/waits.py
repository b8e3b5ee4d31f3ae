"""Axes of a request's waits: for its first token, and for all of it."""

from __future__ import annotations

from app.axes.registry import PREFILL, SERVING, SLOW_IS_HIGH, Axis, named
from app.language import N_

WAITS = (
    Axis(
        key="ttft",
        name=N_("TTFT, time to first token (milliseconds)"),
        definition=N_(
            "Time from writing a request's bytes to the first event that carries at least one token, reasoning tokens "
            "included; connecting and waiting in the client's own queue are reported apart."
        ),
        formula=N_(
            "TTFT = 1000 * (t_first - t_sent), where t_sent is the time in seconds at which the request's bytes were "
            "written to an open connection and t_first the arrival of the first event with at least one token."
        ),
        units=("ms",),
        direction="lower",
        tail=SLOW_IS_HIGH,
        numerator=N_("Time up to the first token event; its text may be empty as long as it carries a token."),
        denominator=N_("One request; no GPUs."),
        window=N_(
            "Opens when the request's bytes are written to an open connection, closes at the arrival of the first "
            "event with at least one token; a role chunk or an event without a token does not close it."
        ),
        matters=PREFILL,
        source=N_("Benchcard's definition; guidellm 0.8.1 also leaves the connect out."),
        tools=named(
            vllm=(
                "TTFT (mean_ttft_ms)",
                "same",
                N_(
                    "Opens before serialising and before a connect where none is pooled; on completions the first "
                    "chunk with choices counts even if its text is empty."
                ),
            ),
            sglang=(
                "TTFT (mean_ttft_ms)",
                "differs",
                N_(
                    "A new TCP connection per request is in it; waits for the first non-empty text, and is 0.0 for a "
                    "reply without text."
                ),
            ),
            guidellm=(
                "time_to_first_token_ms",
                "same",
                N_(
                    "From the first header written to the first line with text, connect left out; stamped with the "
                    "wall clock."
                ),
            ),
            aiperf=(
                "time_to_first_token",
                "same",
                N_(
                    "From the start of the request, a connect included where none is pooled; reasoning counts, and "
                    "time_to_first_output_token leaves it out."
                ),
            ),
            inference_perf=(
                "time_to_first_token (s)",
                "same",
                N_(
                    "From before the post, with the body serialised, to the first chunk with text; only replies of "
                    "more than one token have one."
                ),
            ),
            genai_bench=("ttft (s)", "differs", N_("A new TCP connection per request is in it.")),
            inferencex=(
                "mean_ttft (s)",
                "differs",
                N_(
                    "Fixed lengths: a new TCP connection is in it and an empty first chunk counts; AgentX: aiperf's "
                    "TTFT."
                ),
            ),
        ),
    ),
    Axis(
        key="e2e_latency",
        name=N_("end-to-end latency of a request (milliseconds or seconds)"),
        definition=N_("Time from writing a request's bytes to its last token event."),
        formula=N_(
            "E2EL = t_last - t_sent, where t_sent is the time at which the request's bytes were written to an open "
            "connection and t_last the arrival of the last event with at least one token."
        ),
        units=("ms", "s"),
        direction="lower",
        tail=SLOW_IS_HIGH,
        numerator=N_(
            "Time of the whole request: waiting at the server, prefill and decode; it grows with the output length."
        ),
        denominator=N_("One request; no GPUs."),
        window=N_(
            "Opens when the request's bytes are written to an open connection, closes at the arrival of the last event "
            "with at least one token."
        ),
        matters=SERVING,
        source=N_(
            "Benchcard's definition; vLLM 0.33.0 (E2EL) and aiperf 0.13.0 (request_latency) close it at the same event."
        ),
        tools=named(
            vllm=(
                "E2EL (mean_e2el_ms)",
                "same",
                N_("To the last token chunk; the wait in the client's own queue is reported apart."),
            ),
            sglang=(
                "E2E latency (mean_e2e_latency_ms)",
                "differs",
                N_("To the last line, [DONE] included; connect in it."),
            ),
            guidellm=("request_latency (s)", "differs", N_("To the close of the stream, after usage and [DONE].")),
            aiperf=("request_latency", "same", N_("To the last content chunk; chunks with usage only do not move it.")),
            inference_perf=("request_latency (s)", "differs", N_("To the end of the stream.")),
            genai_bench=("e2e_latency (s)", "differs", N_("To after the usage chunk; connect in it.")),
            inferencex=(
                "mean_e2el (s)",
                "same",
                N_(
                    "Fixed lengths: to the last chunk with choices, in chat to the usage chunk, connect in it; AgentX: "
                    "aiperf's request_latency."
                ),
            ),
        ),
    ),
)

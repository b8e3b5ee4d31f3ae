"""The words of what goes wrong: why a run is no result, why an attempt failed. The only table of them. Pure.

Records, traces and the API keep each reason as `rule: sentence`; people read the sentence (`said`). Where the sentence
alone does not say what is wrong, the rule's words go before it.
"""

from __future__ import annotations

import re
from typing import Literal

from app.language import F_, N_, _
from app.retold import retold

Kind = Literal[
    "no_connection", "timeout", "too_large", "no_answer", "not_http", "status", "compressed", "not_a_stream",
    "error_in_stream", "broken_json", "truncated", "several_choices", "no_done", "after_done", "no_tokens", "no_usage",
    "counts_disagree", "short_output", "long_output", "finish_reason", "prompt_tokens",
]  # fmt: skip

# Rule -> what is put in its place.
RULES: dict[str, str] = {
    "failures": "",
    "lagging_client": "",
    "saturated_client": "",
    "above_client_ceiling": N_("more than this client can see rightly: "),
    "client_unknown": "",
    "too_few_requests": "",
    "late_sends": "",
    "warm_cache": "",
    "tokens_at_once": "",
    "cache_not_flushed": "",
    "server_counters_gone": "",
    "server_restarted": "",
    "server_generated_tokens": "",
    "server_prompt_tokens": "",
    "not_measured": N_("it could not be measured: "),
    "not_all_runs": "",
    "not_planned": "",
    "other_plan": "",
    "other_work": N_("it is no run of the plan: "),
    "twice": "",
    "trace_missing": "",
    "trace_unreadable": "",
    "impossible_trace": N_("no client can have seen this: "),
    "no_result": "",
    "unreadable": "",
    "tool_failed": "",
}
# Kind of failed request -> why it does not count: it is infinitely slow, not dropped.
REQUESTS: dict[Kind, str] = {
    "no_connection": F_("no connection could be opened"),
    "timeout": F_("no end within the time limit"),
    "too_large": F_("more bytes than any reply of the asked length can have"),
    "no_answer": F_("the connection ended before a byte of the answer"),
    "not_http": F_("the answer is not HTTP/1.1"),
    "status": F_("the status is not 200"),
    "compressed": F_(
        "the answer is compressed although this was not asked for, so its events have no times of their own"
    ),
    "not_a_stream": F_("the answer is no event stream of chunks"),
    "error_in_stream": F_("the stream reports an error"),
    "broken_json": F_("an event's data is not the JSON of a chunk"),
    "truncated": F_("the answer ended before its end"),
    "several_choices": F_("a chunk holds another choice than the one asked for"),
    "no_done": F_("the stream ended without [DONE]"),
    "after_done": F_("tokens came after [DONE]"),
    "no_tokens": F_("the stream ended without a token"),
    "no_usage": F_("the server reported no usage, so nobody counted the tokens"),
    "counts_disagree": F_("the server's counts of the output tokens disagree"),
    "short_output": F_("fewer tokens than asked for, although the end of text was to be ignored"),
    "long_output": F_("more tokens than asked for"),
    "finish_reason": F_("the stream finished for another reason than its length"),
    "prompt_tokens": F_("the server counted another number of prompt tokens than were sent"),
}
# Failure class of an attempt -> what happened.
ATTEMPTS: dict[str, str] = {
    "port_in_use": N_("another process had the server's port"),
    "runner_lost": N_("the runner was not heard of any more"),
    "runner_stopped": N_("the runner was stopped while it had the job"),
    "gpu_not_free": N_("the runner's GPUs were not free: something else held their memory or computed on them"),
    "disk_full": N_("the runner's disk was full"),
    "supervisor_lost": N_("the process that watches over the server died"),
    "not_allowed": N_("the runner's own policy does not let this be started"),
    "not_here": N_("the runner has not, or has no more, what the job needs"),
    "bad_flag": N_("the engine does not take the flags as they are"),
    "out_of_memory": N_("the GPUs' memory was not enough"),
    "model_missing": N_("the model's files are not at the runner"),
    "cannot_run_here": N_("the engine cannot run this model on that machine"),
    "not_ready": N_("the server did not become ready in time"),
    "died_starting": N_("the server ended while it was starting"),
    "died_at_request": N_("the server ended at its first request"),
    "died_running": N_("the server ended during the measurement"),
    "no_answer": N_("the server stopped answering"),
    "hung": N_("the server ran on and answered nothing any more"),
    "wall_limit": N_("the time that the job may take was over"),
    "runner_error": N_("the runner itself failed"),
}
_RULE = re.compile(rf"(^|: |; )({'|'.join(sorted({*RULES, *REQUESTS}))}): ")


# What holds a reason, as it is said again.
_AROUND = (
    F_("more than this client can see rightly: {said}"),
    F_("it could not be measured: {said}"),
    F_("it is no run of the plan: {said}"),
    F_("no client can have seen this: {said}"),
    F_("run {run}: {said}"),
    F_("{said}, and {said_too}"),
    F_("{said}; {said_too}"),
)


def said(reason: str) -> str:
    """A reason, or a sentence that holds some, without the names of rules; in English where no form gives it."""
    bare = _RULE.sub(lambda found: found[1] + RULES.get(found[2], ""), reason)
    return retold(bare) or bare


def failed(failure: str) -> str:
    """What happened to an attempt, by its failure class; one that is not known here in its own words."""
    return _(ATTEMPTS.get(failure, failure.replace("_", " ")))


def ended(failure: str | None, message: str) -> str:
    """The same with what was said of it; "" where nothing failed and nothing was said."""
    return ": ".join(part for part in (failed(failure) if failure else "", message) if part)

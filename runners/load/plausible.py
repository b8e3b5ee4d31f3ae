"""Whether a trace can be the record of a run at all: what no client could have seen. Pure.

A trace that comes from elsewhere is held against this before a number is made of it. Requests that failed are not
looked at: nothing of them counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.language import F_
from runners.load.trace import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runners.load.trace import Ints, Trace

OK = 200


def impossible(trace: Trace) -> list[str]:
    """What cannot be, one sentence each; none for a trace that any client might have written."""
    counts = np.array([kind is None for kind in trace.words["failure"]], bool)
    return [*_requests(trace, counts), *_events(trace, counts)]


def _requests(trace: Trace, counts: Ints) -> Iterator[str]:
    column = trace.numbers
    output, asked, prompt = (column[name][counts] for name in ("output_tokens", "asked_tokens", "prompt_tokens"))
    cached, due, sent, ended = (
        column[name][counts] for name in ("cached_tokens", "scheduled_ns", "sent_ns", "ended_ns")
    )
    index = column["index"]
    rules = (
        ((column["status"][counts] != OK).any(), F_("requests without a failure were not answered with 200")),
        ((sent == MISSING).any(), F_("requests without a failure were never sent")),
        (((due != MISSING) & (sent < due)).any(), F_("requests were sent before their time")),
        (((ended != MISSING) & (ended < sent)).any(), F_("requests ended before they were sent")),
        ((output < 0).any(), F_("requests have fewer output tokens than none")),
        ((output > asked).any(), F_("requests have more output tokens than were asked for")),
        (((prompt != MISSING) & (prompt < 0)).any(), F_("prompts have fewer tokens than none")),
        (((cached != MISSING) & (cached > prompt)).any(), F_("more of a prompt was cached than it has")),
        (len(np.unique(index)) != len(index), F_("two requests have one place in the run")),
    )
    yield from (said for broken, said in rules if broken)


def _events(trace: Trace, counts: Ints) -> Iterator[str]:
    lengths = np.diff(trace.offsets)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    seen = counts[owner]
    stamps, owner, tokens = trace.event_ns[seen], owner[seen], trace.event_tokens[seen]
    sent, ended = trace.numbers["sent_ns"][owner], trace.numbers["ended_ns"][owner]
    inside = (stamps >= sent) & ((ended == MISSING) | (stamps <= ended))
    if not inside.all():
        yield F_("events arrived before their request was sent, or after it had ended")
    if (stamps[tokens != 0] == sent[tokens != 0]).any():
        yield F_("tokens arrived at the instant at which their request was sent")
    if ((np.diff(stamps) < 0) & (np.diff(owner) == 0)).any():
        yield F_("events of one request go back in time")
    held = np.bincount(owner, weights=tokens.clip(0), minlength=len(lengths))
    if (held[counts] > trace.numbers["output_tokens"][counts]).any():
        yield F_("events hold more tokens than their request has")

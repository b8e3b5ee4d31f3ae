"""Why a client is apart from a server's own counters: a rule of app.jobs.agreement with its numbers -> words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.language import _, number
from app.web.axes_example import shown

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]


def why(item: Json) -> str:
    """KeyError: a rule that app.jobs.agreement does not make."""
    return RULES[item["rule"]](item)


def _miscounts(item: Json) -> str:
    return _("it counts {counted} tokens where the server generated {generated}").format(
        counted=number(item["counted"], ",.0f"), generated=number(item["generated"], ",.0f")
    )


def _latency(item: Json) -> str:
    apart, first = item["apart_ms"], item["first_token_ms"]
    longer = _("its requests take {apart} ms longer than the server says")
    shorter = _("its requests take {apart} ms less than the server says")
    told = (longer if apart > 0 else shorter).format(apart=number(abs(apart), ",.0f"))
    if first is None or apart <= 0 or first <= 0:
        return told
    before = _("{first} ms of it before the first token, for the server's clock starts once it has read the request")
    return f"{told}; {before.format(first=number(first, ',.0f'))}"


def _window(item: Json) -> str:
    told = _("its rate is over its whole run, start and end included: {streams} of {concurrency} streams on average")
    return told.format(streams=number(item["streams"], ",.1f"), concurrency=number(item["concurrency"]))


def _client_busy(item: Json) -> str:
    return _("it uses {cores} processor cores itself, and reads late what the server has sent").format(
        cores=number(item["cores"], ".2f")
    )


def _other_rate(item: Json) -> str:
    return _("under it the server itself ran at {rate} tok/s, under Benchcard's client at {usual}").format(
        rate=number(item["output_tok_s"], ",.0f"), usual=number(item["under_benchcard_tok_s"], ",.0f")
    )


def _server_busy(item: Json) -> str:
    return _("one process of the server used {cores} cores, and was the limit").format(
        cores=number(item["cores"], ".2f")
    )


def _core_ahead(item: Json) -> str:
    told = _(
        "the server states a TPOT of {core} ms, stamped before its front end passes tokens on; by that it is {seen}"
    )
    return told.format(core=shown(item["core_tpot_ms"]), seen=shown(item["tpot_ms"]))


RULES: dict[str, Callable[[Json], str]] = {
    "miscounts": _miscounts,
    "latency": _latency,
    "window": _window,
    "client_busy": _client_busy,
    "other_rate": _other_rate,
    "server_busy": _server_busy,
    "core_ahead": _core_ahead,
}

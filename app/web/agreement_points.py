"""The loads of a measurement by several clients, as app.jobs.agreement holds them -> what pages show of them. Pure."""

from __future__ import annotations

from typing import Any

from app.claims.words import NOT_STATED
from app.compare.reproduction import FEWEST
from app.compare.words import capital
from app.jobs.agreement import AGREES, JUDGED, OURS, SHOWN
from app.jobs.numbers import FORMAT, load_said
from app.language import N_, _, as_number, number
from app.protocol.english import counted
from app.protocol.reasons import said
from app.web.agreement_contexts import ClientLine, HeldCell, PointPart, Worst, WorstLine
from app.web.agreement_why import why
from app.web.axes_example import shown

Json = dict[str, Any]
NAMES = {OURS: "Benchcard", "vllm_bench": "vllm bench serve", "sglang_bench": "sglang.bench_serving"}
WORDS = {"output_tokens": N_("output tokens"), "output_tok_s": N_("output tok/s"), "tpot_ms": N_("mean TPOT"),
         "e2e_ms": N_("mean end-to-end latency"), "ttft_ms": N_("mean TTFT")}  # fmt: skip


def held_points(numbers: Json) -> tuple[PointPart, ...]:
    """None where only one client has measured, or where what was computed has an older form."""
    return tuple(map(_point, numbers.get("agreement", ()))) if numbers.get("format") == FORMAT else ()


def worst(numbers: Json) -> Worst:
    """Of each client at each load the judged number that is furthest from the server's own."""
    points = numbers.get("agreement", ()) if numbers.get("format") == FORMAT else ()
    by_client = zip(*(point["clients"] for point in points), strict=True)
    return Worst(
        tuple(number(point["concurrency"]) for point in points),
        tuple(WorstLine(NAMES[of[0]["client"]], tuple(map(_furthest, of))) for of in by_client),
    )


def _furthest(client: Json) -> HeldCell:
    name, runs = client["worst"], _runs(client["usable"])
    if name is None:
        return HeldCell(_("no number"), "", mark=False)
    few = f", {runs}" if client["usable"] < FEWEST else ""
    return HeldCell(percent_apart(client["apart"][name]), f"{_(WORDS[name])}{few}", mark=not client["within"])


def _point(point: Json) -> PointPart:
    return PointPart(load_said(point["load"]), _said(point), tuple(map(_line, point["clients"])))


def _said(point: Json) -> str:
    """The load in a sentence: who agrees with the server, and who departs most in what."""
    known = [client for client in point["clients"] if client["worst"] is not None]
    apart = [client for client in known if not client["within"]]
    if not known:
        return _("No client has a run that can be compared.")
    if not apart:
        all_within = _("All of them are within {share} % of the server's own numbers")
        return f"{all_within.format(share=number(AGREES * 100, '.0f'))}; {_closest(point)}."
    return f"{'; '.join(map(_departs, apart))}. {capital(_closest(point))}."


def _closest(point: Json) -> str:
    if point["closest"] is None:
        return _("none is called the closest, for that needs {fewest} runs of each").format(fewest=number(FEWEST))
    return _("the closest to the server's own numbers is {client}").format(client=NAMES[point["closest"]])


def _departs(client: Json) -> str:
    worst = client["worst"]
    return _("{names} departs by {apart} in {words}").format(
        names=NAMES[client["client"]], apart=percent_apart(client["apart"][worst]), words=_(WORDS[worst])
    )


def _line(client: Json) -> ClientLine:
    runs, usable = len(client["runs"]), client["usable"]
    version = f"{client['version']}, " if client["version"] else ""
    counted = (
        _runs(usable) if usable == runs else _("{usable} of {runs} usable").format(usable=usable, runs=_runs(runs))
    )
    reasons = dict.fromkeys(reason for run in client["runs"] for reason in run["reasons"])
    word = _("no number") if client["worst"] is None else _("agrees") if client["within"] else _("departs")
    return ClientLine(
        name=NAMES[client["client"]],
        about=f"{version}{counted}",
        word=word,
        cells=tuple(_cell(client, name) for name in SHOWN),
        cores=_cores(client["tool_cores"]),
        server_cores=_cores(client["server_cores"]),
        why=(*map(why, client["why"]), *map(said, reasons)),
    )


def _runs(number: int) -> str:
    return counted(number, "run") if number else _("no run")


def _cell(client: Json, name: str) -> HeldCell:
    value, apart = client[name], client["apart"][name]
    if value is None:
        return HeldCell(_(NOT_STATED), "", mark=False)
    text = number(value, ",.0f") if name == "output_tokens" else shown(value)
    too_far = apart is not None and name in JUDGED and abs(apart) > AGREES
    return HeldCell(text, percent_apart(apart) if apart is not None else "", mark=too_far)


def percent_apart(share: float) -> str:
    """How far a number is from another, with its sign; that of next to nothing is both."""
    return as_number("±0.0 %" if abs(share) < 0.0005 else f"{share * 100:+.1f} %").replace("-", "\N{MINUS SIGN}")


def _cores(number: float | None) -> str:
    return _(NOT_STATED) if number is None else as_number(f"{number:.2f}")

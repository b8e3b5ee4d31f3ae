"""One engine's numbers for one model under its two usual set-ups, set side by side. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.configurations import BOTH_MISSING
from app.language import N_, _
from app.web.card_contexts import ConfigurationsPage, Side
from app.web.claim_row import cells
from app.web.compare_page import side_by_side
from app.web.contexts import Choice, Shell
from app.web.state import address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.configurations import TwoConfigurations
    from app.claims.schema import ClaimRow
    from app.web.contexts import Trouble

ABOUT = N_("The low-latency and the high-throughput number of one engine for one model together: a report needs both.")
LOW = (N_("Low latency"), N_("One request at a time: how fast a single user is served."))
HIGH = (N_("High throughput"), N_("Tokens per GPU over all users: what the hardware serves."))


def configurations_page(
    engine: str,
    model: str,
    known: tuple[Sequence[str], Sequence[str]],
    found: TwoConfigurations | None,
    troubles: Sequence[Trouble],
) -> ConfigurationsPage:
    """`known`: engines and models to choose from; `found` is None while nothing, or nothing known, is chosen."""
    both = bool(found and found.low_latency and found.high_throughput)
    return ConfigurationsPage(
        shell=Shell(
            _("{engine} and {model}: two configurations").format(engine=engine, model=model)
            if found
            else _("Two configurations"),
            _(ABOUT),
            "/",
        ),
        heading=_("{engine} serving {model}").format(engine=engine, model=model)
        if found
        else _("Low latency and high throughput, together"),
        engines=tuple(Choice("", "engine", name, name, name == engine) for name in known[0]),
        models=tuple(Choice("", "model", name, name, name == model) for name in known[1]),
        troubles=tuple(troubles),
        note="" if found is None or both else _(found.note or ""),
        sides=() if found is None or found.note == BOTH_MISSING else _sides(found),
        differing=side_by_side([found.low_latency[0], found.high_throughput[0]])[0] if found and both else (),
        table_url=address("/", [("engine", engine), ("model", model)]) if found else "",
    )


def _sides(found: TwoConfigurations) -> tuple[Side, ...]:
    return _side(*LOW, found.low_latency), _side(*HIGH, found.high_throughput)


def _side(heading: str, about: str, rows: Sequence[ClaimRow]) -> Side:
    shown = [cells(row) for row in rows]
    return Side(_(heading), _(about), first=shown[0] if shown else None, rest=tuple(shown[1:]))

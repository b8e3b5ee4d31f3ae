"""A card -> its row in the claims table, in the words that the catalogue uses. Pure.

Nothing is added to what the card says: a caveat comes from a finding or from a field of the card, and nobody is said
to have repeated it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from app.axes import AXES
from app.cards import names
from app.cards.caveats import caveats
from app.cards.schema import Hardware, Runs, Speculation, Workload
from app.claims import schema as claims
from app.claims.wording import headline
from app.language import F_, N_, in_english
from app.protocol.english import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.cards.record import CardRecord
    from app.cards.schema import Card, Result
    from app.claims.schema import ClaimRow, Scope

RETRACTED = "Retracted: "
RANK, RETRACTED_RANK = 500, 999
FROM_TO = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?) to (\d+(?:\.\d+)?)(?![\w.,])")  # a spread between two plain numbers
FORCED = ("simulated", "synthetic")
# Axes that are about less than a request from end to end (app/axes).
SCOPES: dict[str, Scope] = {
    "kernel_time": "kernel",
    "layer_time": "layer",
    "decode_step_time": "forward_pass",
    "prefill_time": "phase",
    "prefill_throughput": "phase",
    "prefill_per_gpu": "phase",
    "decode_per_gpu": "phase",
    "kv_bytes_per_token": "capacity",
    "kv_capacity": "capacity",
}


@in_english
def card_row(record: CardRecord) -> ClaimRow | None:
    """The row of a card, None for a plan: it has no number to show."""
    card, revision = record.card, record.revision
    if card.result is None or card.metric is None:
        return None
    is_ratio = card.result.unit == "x"
    claim = claims.Claim(
        id=record.id,
        title=title(record),
        value=card.result.value,
        unit=card.result.unit,
        kind="ratio" if is_ratio else "absolute",
        axis=card.metric.axis,
        axis_version=revision.axis_version,
        scope=SCOPES.get(card.metric.axis, "end_to_end"),
        statistic=(card.runs or Runs()).statistic,
        runs=_runs(card),
        locator=card.source or F_("the card itself"),
        stated_in="measured",
        baseline=claims.Baseline(kind="not_stated" if is_ratio else "none"),
        conditions=conditions(card),
        acceptance=_acceptance(card),
        caveats=caveats(record),
        beside=_beside(card),
        measured_at=card.result.measured_at.isoformat() if card.result.measured_at else None,
        measured_by=None if card.source else revision.author,
        rank=RETRACTED_RANK if record.retraction else RANK,
    )
    day = revision.at.date()
    around = {"source": _source(record), "card": _reference(record), "retrieved": day, "last_checked": day}
    return claims.ClaimRow.model_validate({**dict(claim), **around, "headline": headline(claim)})


def title(record: CardRecord) -> str:
    """What was measured, in a few words: the author's own where there are any."""
    card = record.card
    words = card.title or _described(card)
    return f"{RETRACTED}{words}" if record.retraction else words


def _described(card: Card) -> str:
    axis = AXES.get(card.metric.axis) if card.metric else None
    what = axis.name.partition(" (")[0] if axis else N_("bench card")
    on = names.model(card.model.id) if card.model else None
    engine = names.engine(card.engine.name) if card.engine else None
    if on and engine:
        return what + F_(" of {model} on {engine}").format(model=on, engine=engine)
    if on or engine:
        return what + (F_(" of {model}").format(model=on) if on else F_(" on {engine}").format(engine=engine))
    return what


def conditions(card: Card) -> claims.Conditions:
    model, dtypes, spec = card.model or claims.Model(), card.dtypes or claims.Dtypes(), card.speculation
    hardware, engine, load = card.hardware or Hardware(), card.engine or claims.Engine(), card.workload or Workload()
    around = [part for part in (hardware.interconnect, hardware.host) if part]
    return claims.Conditions(
        engine=engine.model_copy(update={"name": names.engine(engine.name)}),
        model=model.model_copy(update={"id": names.model(model.id)}),
        hardware=claims.Hardware(
            accelerator=names.gpu(hardware.accelerator), count=hardware.count, system=", ".join(around) or None
        ),
        parallelism=names.parallelism(card.parallelism, model.id),
        dtypes=claims.Dtypes(weights=names.dtype(dtypes.weights, names.WEIGHTS), kv=names.dtype(dtypes.kv, names.KV)),
        speculation=claims.Speculation(method=names.method(spec.method), draft_tokens=spec.draft_tokens)
        if spec
        else claims.Speculation(),
        approximations=card.approximations,
        workload=_workload(load),
        load=_load(load),
        limit=names.limit(card.metric.constraint) if card.metric else None,
        client=names.tool((card.runs or Runs()).tool),
    )


def _workload(given: Workload) -> claims.Workload:
    same = ("name", "input_tokens", "output_tokens", "chat_template", "ignore_eos")
    as_text = {name: _text(getattr(given, name)) for name in ("seed", "temperature", "turns")}
    as_text |= {"dataset": names.dataset(given.dataset), "prefix_cache": names.prefix_cache(given.prefix_cache)}
    return claims.Workload.model_validate({name: getattr(given, name) for name in same} | as_text)


def _load(given: Workload) -> claims.Load:
    sessions = f"{given.sessions} sessions" if given.sessions else None
    return claims.Load(concurrency=_text(given.concurrency) or sessions, rate=_text(given.rate))


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _acceptance(card: Card) -> claims.Acceptance:
    spec = card.speculation or Speculation(method="not stated")
    if card.speculation is None:
        return claims.Acceptance(kind="not_stated")
    if spec.method == "off":
        return claims.Acceptance(kind="none")
    return claims.Acceptance(
        kind=spec.acceptance or "not_stated",
        length=spec.accept_length,
        target=spec.accept_length if spec.acceptance in FORCED else None,
        ceiling=None if spec.draft_tokens is None else spec.draft_tokens + 1,
    )


def _runs(card: Card) -> str | None:
    runs, spread = card.runs or Runs(), card.result.spread if card.result else None
    parts = [
        None if runs.count is None else counted(runs.count, "run"),
        None
        if runs.warmup_discarded is None
        else F_("{number} warm-up discarded").format(number=runs.warmup_discarded),
        F_("spread {spread}").format(spread=spread) if spread else None,
    ]
    return ", ".join(part for part in parts if part) or None


def _beside(card: Card) -> tuple[claims.OtherFigure, ...]:
    """How far the runs lie apart, and what the same run measured on other axes, named as the axis is."""
    figures = list(_ends(card.result)) if card.result else []
    for item in card.also or ():
        name = AXES[item.axis].name.partition(" (")[0] if item.axis in AXES else item.axis
        label = f"{name}, {item.statistic}" if item.statistic else name
        figures.append(claims.OtherFigure(name=label, value=item.value, unit=item.unit))
    return tuple(figures)


def _ends(result: Result) -> Iterator[claims.OtherFigure]:
    """A spread that is written from one number to another; in other words it stays with the runs alone."""
    told = FROM_TO.search(result.spread or "")
    for name, digits in zip(
        (F_("lower end of the spread"), F_("upper end of the spread")), told.groups() if told else (), strict=False
    ):
        yield claims.OtherFigure(name=name, value=Decimal(digits), unit=result.unit)


def _source(record: CardRecord) -> claims.SourceRef:
    """The card is its own source. Where it retells a published number, its address is linked."""
    card = record.card
    measured = card.result.measured_at if card.result else None
    address = card.source if card.source and card.source.startswith(("https://", "http://")) else None
    return claims.SourceRef(
        id=record.id,
        title=title(record),
        url=address if address and not any(char.isspace() for char in address) else None,
        date=(measured or record.created.date()).isoformat(),
        publisher=record.author,
        interest=F_("recorded by a user of this server; Benchcard has not checked it"),
    )


def _reference(record: CardRecord) -> claims.CardRef:
    return claims.CardRef(
        id=record.id,
        revision=record.revision.number,
        author=record.author,
        completeness=record.completeness,
        repeats=record.card.repeats,
        retracted=record.retraction.reason if record.retraction else None,
    )

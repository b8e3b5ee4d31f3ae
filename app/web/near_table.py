"""The claims near a workload -> the table on its page, by the axis that they speak to. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.words import axis_name
from app.claims.workloads import MOST
from app.compare.words import capital, plain_axis, significant
from app.language import listed
from app.protocol.english import counted
from app.tools.shapes import NO_HITS
from app.web.badges import badges
from app.web.contexts import Link
from app.web.state import address
from app.web.tool_contexts import NearCell, NearGroup, NearLine, NearTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.claims.schema import ClaimRow
    from app.tools.schema import Compared, Dimension, NearClaim, Stated, WorkloadAnswer

OF_AN_AXIS = 4  # rows of each deciding axis, and of all other axes together
REST = 60  # as links behind them
COLUMNS: dict[Dimension, str] = {
    "input_tokens": "Input",
    "output_tokens": "Output",
    "prefix_hit_rate": "Prefix cache",
    "turns": "Turns",
}


def shown(answer: WorkloadAnswer) -> dict[str, list[NearClaim]]:
    """The near claims that stand as rows, by deciding axis; "" for those of other axes."""
    found: dict[str, list[NearClaim]] = {item.axis: [] for item in answer.decides}
    for item in answer.near:
        of_axis = found.setdefault(item.speaks_to or "", [])
        if len(of_axis) < OF_AN_AXIS:
            of_axis.append(item)
    return found


def near_table(answer: WorkloadAnswer, rows: Mapping[str, ClaimRow]) -> NearTable:
    """`rows` are the claims that stand as rows, for what is to mind of them."""
    chosen = shown(answer)
    taken = {item.id for items in chosen.values() for item in items}
    left = [item for item in answer.near if item.id not in taken]
    rest = left[:REST]
    more = f", {len(rest)} of them listed" if len(left) > len(rest) else ""
    return NearTable(
        count=f"{_claims(answer.compared.near)} of {answer.compared.looked_at:,}",
        columns=tuple(COLUMNS.values()),
        groups=tuple(_group(axis, items, rows) for axis, items in chosen.items() if items),
        unmeasured=_unmeasured([axis for axis, items in chosen.items() if not items]),
        rest_count=f"{_claims(len(left))} more near it{more}",
        rest=tuple(_link(item) for item in rest),
        heaps=tuple(_heaps(answer.compared)),
        named=tuple(
            Link(f"{item.name} ({item.claims})", address("/", [("q", item.name)])) for item in answer.only_named
        ),
    )


def _group(axis: str, items: Sequence[NearClaim], rows: Mapping[str, ClaimRow]) -> NearGroup:
    heading = f"Decides for you: {_short(axis)}" if axis else "Other axes"
    return NearGroup(heading, tuple(_line(item, rows.get(item.id)) for item in items))


def _short(axis: str) -> str:
    """ "TPOT", without what it stands for."""
    return axis_name(axis).split(", ")[0]


def _unmeasured(axes: Sequence[str]) -> str:
    """The deciding axes on which nothing near was measured, in one sentence; "" where there are none."""
    if not axes:
        return ""
    return f"No claim near your shape measured {listed([_short(axis) for axis in axes])}."


def _line(item: NearClaim, row: ClaimRow | None) -> NearLine:
    by_name = {stated.dimension: stated for stated in item.stated}
    return NearLine(
        url=f"/claims/{item.id}",
        number=item.headline,
        title=item.title,
        served=" · ".join(part for part in (item.engine, item.model) if part),
        axis=capital(plain_axis(item.axis)),
        badges=badges(row)[0] if row else (),
        cells=tuple(_cell(by_name[name]) for name in COLUMNS),
    )


def _cell(stated: Stated) -> NearCell:
    beside = _beside(stated)
    if stated.dimension == "prefix_hit_rate" and stated.text in NO_HITS:
        beside = f"no hits, {beside}" if beside else "no hits"
    return NearCell(COLUMNS[stated.dimension], stated.text or "", beside)


def _beside(stated: Stated) -> str:
    if stated.points is not None:
        return "as yours" if stated.points == 0 else f"{stated.points:+f} points".replace("-", "−")
    if stated.times is None:
        return ""
    return "as yours" if stated.times == 1 else f"{significant(stated.times, 2)} x yours"


def _link(item: NearClaim) -> Link:
    return Link(f"{item.headline}, {plain_axis(item.axis)}: {item.title}", f"/claims/{item.id}")


def _heaps(compared: Compared) -> Iterator[str]:
    """How all claims divide; the names of those that only name a benchmark follow the last sentence."""
    if compared.looked_at == MOST:
        yield f"Only the {MOST:,} most important claims were looked at."
    yield (
        f"{_claims(compared.further)} state a length that is more than twice or less than half of yours, or a hit rate "
        "more than 10 points away."
    )
    yield f"{_claims(compared.no_single_number)} state lengths as a range or a sweep, which is no single length."
    yield f"{_claims(compared.nothing_stated)} state no workload. Nothing is guessed for them."
    yield f"{_claims(compared.only_named)} only name a benchmark, without lengths:"


def _claims(count: int) -> str:
    return counted(count, "claim")

"""The claims near a workload -> the table on its page, by the axis that they speak to. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.wording import said_again
from app.claims.words import axis_name
from app.claims.workloads import MOST
from app.compare.words import capital, plain_axis, significant
from app.language import N_, _, listed, number
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
ABOVE = " above "  # in the words of a hit rate that is stated by its lower end
REST = 60  # as links behind them
COLUMNS: dict[Dimension, str] = {
    "input_tokens": N_("Input"),
    "output_tokens": N_("Output"),
    "prefix_hit_rate": N_("Prefix cache"),
    "turns": N_("Turns"),
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
    more = _(", {rest} of them listed").format(rest=len(rest)) if len(left) > len(rest) else ""
    return NearTable(
        count=_("{near} of {looked_at}").format(
            near=_claims(answer.compared.near), looked_at=number(answer.compared.looked_at)
        ),
        columns=tuple(map(_, COLUMNS.values())),
        groups=tuple(_group(axis, items, rows) for axis, items in chosen.items() if items),
        unmeasured=_unmeasured([axis for axis, items in chosen.items() if not items]),
        rest_count=_("{left} more near it{more}").format(left=_claims(len(left)), more=more),
        rest=tuple(_link(item) for item in rest),
        heaps=tuple(_heaps(answer.compared)),
        named=tuple(
            Link(f"{item.name} ({item.claims})", address("/", [("q", item.name)])) for item in answer.only_named
        ),
    )


def _group(axis: str, items: Sequence[NearClaim], rows: Mapping[str, ClaimRow]) -> NearGroup:
    heading = _("Decides for you: {axis}").format(axis=_short(axis)) if axis else _("Other axes")
    return NearGroup(heading, tuple(_line(item, rows.get(item.id)) for item in items))


def _short(axis: str) -> str:
    """ "TPOT", without what it stands for."""
    return axis_name(axis).split(", ")[0]


def _unmeasured(axes: Sequence[str]) -> str:
    """The deciding axes on which nothing near was measured, in one sentence; "" where there are none."""
    if not axes:
        return ""
    return _("No claim near your shape measured {axes}.").format(axes=listed([_short(axis) for axis in axes]))


def _line(item: NearClaim, row: ClaimRow | None) -> NearLine:
    by_name = {stated.dimension: stated for stated in item.stated}
    return NearLine(
        url=f"/claims/{item.id}",
        number=row.headline if row else said_again(item.headline),
        title=item.title,
        served=" · ".join(part for part in (item.engine, item.model) if part),
        axis=capital(plain_axis(item.axis)),
        badges=badges(row)[0] if row else (),
        cells=tuple(_cell(by_name[name]) for name in COLUMNS),
    )


def _cell(stated: Stated) -> NearCell:
    beside = _beside(stated)
    if stated.dimension == "prefix_hit_rate" and stated.text in NO_HITS:
        beside = _("no hits, {beside}").format(beside=beside) if beside else _("no hits")
    return NearCell(_(COLUMNS[stated.dimension]), stated.text or "", beside)


def _beside(stated: Stated) -> str:
    if stated.points is not None:
        open_above = ABOVE in (stated.text or "")  # `hit rate above 96 %` is never 96 %
        if stated.points == 0:
            return _("above yours") if open_above else _("as yours")
        form = _("more than {points} points") if open_above else _("{points} points")
        return form.format(points=number(stated.points, "+f")).replace("-", "−")
    if stated.times is None:
        return ""
    return _("as yours") if stated.times == 1 else _("{times} x yours").format(times=significant(stated.times, 2))


def _link(item: NearClaim) -> Link:
    return Link(f"{said_again(item.headline)}, {plain_axis(item.axis)}: {item.title}", f"/claims/{item.id}")


def _heaps(compared: Compared) -> Iterator[str]:
    """How all claims divide; the names of those that only name a benchmark follow the last sentence."""
    if compared.looked_at == MOST:
        yield _("Only the {most} most important claims were looked at.").format(most=number(MOST))
    yield (
        _(
            "{further} state a length that is more than twice or less than half of yours, or a hit rate "
            "more than 10 points away."
        ).format(further=_claims(compared.further))
    )
    yield _("{no_single_number} state lengths as a range or a sweep, which is no single length.").format(
        no_single_number=_claims(compared.no_single_number)
    )
    yield _("{nothing_stated} state no workload. Nothing is guessed for them.").format(
        nothing_stated=_claims(compared.nothing_stated)
    )
    yield _("{only_named} only name a benchmark, without lengths:").format(only_named=_claims(compared.only_named))


def _claims(count: int) -> str:
    return counted(count, "claim")

"""A source -> its claims with what surrounds them: headline, round, ladder, contradictions, repetitions. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.claims.schema import ClaimRow, Contradiction, LadderBreak, LadderPlace, Reproduction, RoundRef, SourceRef
from app.claims.wording import headline
from app.language import F_

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from app.catalogue.schema import Ladder, Source
    from app.claims.schema import Claim, Correction


BY_OTHERS = F_("{number} by {by}, same script")
BY_OTHERS_NOT_INDEPENDENT = F_("{number} by {by}, same script, not independent")


def rows(source: Source, catalogue: Sequence[Source] = ()) -> tuple[ClaimRow, ...]:
    """The rows of one source, in its order. `catalogue` holds all sources: contradictions, corrections and
    repetitions that another source records are found only there."""
    every = [source, *(other for other in catalogue if other.id != source.id)]
    around: dict[str, dict[str, Any]] = {claim.id: _own(source) for claim in source.claims}
    for other in every:
        for name in ("contradictions", "corrections"):
            for item in getattr(other, name):
                said = _placed(item, other)
                for claim_id in around.keys() & set(item.claims):
                    around[claim_id][name] = (*around[claim_id].get(name, ()), said)
    for claim_id, place in _ladder_places(source):
        around[claim_id].setdefault("ladder", place)
    for claim_id, reproduction in _reproductions(around.keys(), every[1:]):
        around[claim_id]["reproduction"] = reproduction
    rounds = {
        item.id: RoundRef(id=f"{source.id}/{item.id}", title=item.title, varies=item.varies, apart=item.apart)
        for item in source.rounds
    }
    return tuple(_row(claim, rounds, around[claim.id]) for claim in source.claims)


def _placed(item: Contradiction | Correction, source: Source) -> Contradiction | Correction:
    """A contradiction with claims of other sources is one between sources."""
    if isinstance(item, Contradiction) and not set(item.claims) <= {claim.id for claim in source.claims}:
        return item.model_copy(update={"across": True})
    return item


def _own(source: Source) -> dict[str, Any]:
    reference = SourceRef(
        id=source.id,
        title=source.title,
        url=source.url if source.url_seen_cited else None,
        date=source.date,
        publisher=source.publisher,
        interest=source.interest,
    )
    return {"source": reference, "retrieved": source.retrieved, "last_checked": source.last_checked}


def _row(claim: Claim, rounds: dict[str, RoundRef], around: dict[str, Any]) -> ClaimRow:
    place = rounds.get(claim.round) if claim.round else None
    return ClaimRow.model_validate({**dict(claim), **around, "round_place": place, "headline": headline(claim)})


def _ladder_places(source: Source) -> Iterator[tuple[str, LadderPlace]]:
    own = {claim.id for claim in source.claims}
    for ladder in source.ladders:
        ids = [step.claim for step in ladder.steps]
        breaks = _breaks(ladder, ids)
        for step, claim_id in enumerate(ids, start=1):
            segment = sum(1 for item in breaks if item.after_step < step)
            if claim_id in own:
                yield claim_id, LadderPlace(ladder=ladder.id, step=step, segment=segment, breaks=breaks)


def _breaks(ladder: Ladder, ids: list[str]) -> tuple[LadderBreak, ...]:
    return tuple(
        LadderBreak(after_step=ids.index(item.after) + 1, title=item.title, reasons=item.reasons)
        for item in ladder.breaks
    )


def _reproductions(wanted: Collection[str], others: Sequence[Source]) -> Iterator[tuple[str, Reproduction]]:
    """A claim counts as repeated by others only where another source measured it again."""
    found: dict[str, list[str]] = {}
    for source in others:
        for claim in source.claims:
            if claim.repeats in wanted:
                by = claim.measured_by or source.publisher
                independent = all(caveat.kind != "not_independent" for caveat in claim.caveats)
                form = BY_OTHERS if independent else BY_OTHERS_NOT_INDEPENDENT
                found.setdefault(str(claim.repeats), []).append(form.format(number=headline(claim), by=by))
    for claim_id, texts in found.items():
        yield claim_id, Reproduction(status="repeated_by_others", text="; ".join(texts))

"""Whether a claim can be measured again by the runners in service here, or what they lack for it. Pure.

What a claim needs follows from its stored text, and is worked out once for each; what the runners have is compared
with it once for each set of runners. It says nothing of other places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from app.cards import names
from app.claims.queries import parsed
from app.jobs.choices import RELEASE, Choices
from app.jobs.flags import gpus_of
from app.jobs.matching import Needs, lacks, needs_of
from app.jobs.permission import decided
from app.jobs.plans import SILENT, from_claim
from app.language import N_, _, kept, moment, number
from app.protocol.engines import ENGINES, titled
from app.protocol.english import counted
from app.protocol.lease import Capabilities, EngineHere
from app.protocol.policy.advisories import number as release_number
from app.protocol.policy.census import versions
from app.retold import retold

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

    from app.claims.schema import Conditions
    from app.jobs.plans import Planned
    from app.jobs.rows import RunnerRow, Standing


class Box(NamedTuple):
    """A runner in service. `seen` is when it was last seen, None of one that is up: what is said of a claim is kept
    for as long as no runner comes or goes."""

    name: str
    capabilities: str  # as JSON
    standing: Standing = "free"
    seen: dt.datetime | None = None


Fleet = tuple[Box, ...]
KEPT = 2000  # claims, of about 6 KB each


Status = Literal["no_runner", "not_here", "lacks", "away", "possible"]


class Here(BaseModel):
    """Whether a claim can be measured again on this installation's own runners."""

    model_config = ConfigDict(frozen=True)

    status: Status = Field(
        description="of the first obstacle: lacks: the claim does not state what a run needs; not_here: nobody may "
        "start it, or the runners lack what it needs; no_runner: none is in service; away: those that have it all are "
        "not up (seen within 90 s, and taking jobs); and possible: there is no obstacle, one of them is up"
    )
    text: str = Field(description="the first obstacle, in a few words, and how many there are besides")


class Obstacle(NamedTuple):
    """One thing in the way of a run. `choice`: the field of Choices that takes it away, "" where none does."""

    kind: Literal["missing", "never", "unmet", "no_runner", "away"]
    text: str
    choice: str = ""


STATUS: dict[str, Status] = {
    "missing": "lacks",
    "never": "not_here",
    "unmet": "not_here",
    "no_runner": "no_runner",
    "away": "away",
}
NO_RUNNER = N_("no runner is in service here")
SHUT: dict[str, str] = {"draining": N_("takes no more jobs"), "quarantined": N_("in quarantine")}


@dataclass(frozen=True)
class Wants:
    """What measuring again needs, as far as it is known. `missing`: what has to be stated or chosen first, each with
    the choice that supplies it; `never`: why nobody may start it; `stated`: whether the number of GPUs is known, else
    one stands for it."""

    needs: Needs
    missing: tuple[tuple[str, str], ...]
    never: tuple[str, ...]
    stated: bool = True


def here(document: str, fleet: Fleet) -> Here:
    """`document` is the claim as it is stored."""
    return _here(_stored(document), fleet)


def wants(planned: Planned, given: Conditions, chosen: Choices | None = None) -> Wants:
    """Of a claim or a card with these conditions."""
    if planned.plan is None:
        needs, stated = _known_needs(planned, given, chosen or Choices())
        return Wants(needs, tuple(zip(planned.missing, planned.supplied_by, strict=True)), (), stated)
    sides = [side.launch for side in planned.plan.sides if side.launch]
    never = tuple(reason for launch in sides for reason in decided(launch).against("never"))
    return Wants(needs_of(planned.plan, planned.accelerator), (), never)


def obstacles(wanted: Wants, fleet: Fleet) -> tuple[Obstacle, ...]:
    """All that is in the way, in the one order in which it is told everywhere: what the claim itself lacks, what nobody
    may start, what the runners here lack."""
    never = _("may not be started: {reason}")
    return (
        *(Obstacle("missing", text, choice) for text, choice in wanted.missing),
        *(Obstacle("never", never.format(reason=retold(reason) or reason)) for reason in wanted.never),
        *_of_runners(wanted, fleet),
    )


def proposed(wanted: Wants, engine: str | None, fleet: Fleet) -> str | None:
    """The release to propose where one is all that is missing: the newest of that engine which a runner here has, else
    the newest whose options Benchcard knows. Whoever asks chooses it: it is no fact of the claim."""
    name = titled(engine)
    if name is None or {choice for _text, choice in wanted.missing} != {"version"}:
        return None
    had = {
        item.version
        for box in fleet
        for item in _capabilities(box.capabilities).engines
        if item.name == name and RELEASE.fullmatch(item.version)
    }
    known = {of.removeprefix(f"{name}-") for of in versions() if of.startswith(f"{name}-")}
    return max(sorted(had or known), key=release_number)


@kept(2 * KEPT)
def _stored(document: str) -> Wants:
    claim = parsed(document)
    found = wants(from_claim(claim, seed=0), claim.conditions)
    # A number of our own ran once: what its words lack for a plan, that of its measurement has (app.jobs.as_measured).
    return replace(found, missing=()) if claim.evidence else found


@kept(4 * KEPT)
def _here(wanted: Wants, fleet: Fleet) -> Here:
    found = obstacles(wanted, fleet)
    if found:
        first, *further = [text for item in found for text in item.text.split("; ")]
        more = ", " + _("and {count} more").format(count=len(further)) if further else ""
        return Here(status=STATUS[found[0].kind], text=_shortly(first) + more)
    able = [item.name for item in _able(wanted, fleet) if item.seen is None]
    if able[3:]:
        some = _("can be tried on {runners} and others, while one of them is up")
    else:
        one = _("can be tried on {runners} while it is up")
        some = one if len(able) == 1 else _("can be tried on {runners} while one of them is up")
    return Here(status="possible", text=some.format(runners=", ".join(able[:3])))


def _shortly(text: str) -> str:
    """`no engine version is stated` for `the source states no engine version`, of whichever side it is said."""
    whose, _colon, what = text.rpartition(": ")
    silent = _(SILENT).partition("{what}")[0]
    if not what.startswith(silent):
        return text
    stated = _("no {what} is stated").format(what=what.removeprefix(silent))
    return f"{stated} ({whose})" if whose else stated


def _known_needs(planned: Planned, given: Conditions, chosen: Choices) -> tuple[Needs, bool]:
    """Of what makes no plan: the engine's release and the GPUs that are stated or chosen; and whether they are
    stated."""
    gpus = gpus_of(given) if chosen.gpus is None else chosen.gpus
    version = chosen.version or given.engine.version
    name = titled(given.engine.name)
    known = name is not None and gpus is not None and version is not None and RELEASE.fullmatch(version)
    device = "cuda" if gpus else "cpu"
    engines = (EngineHere.model_validate({"name": name, "version": version, "device": device}),) if known else ()
    stated, accelerator = gpus is not None, names.gpu(planned.accelerator)
    many = (1 if accelerator else 0) if gpus is None else gpus
    return _only(engines=engines, gpus=many, accelerator=accelerator if many else None), stated


def _only(
    *, engines: tuple[EngineHere, ...] = (), gpus: int = 0, accelerator: str | None = None, wall_s: float = 0
) -> Needs:
    return Needs(engines=engines, gpus=gpus, accelerator=accelerator, attach=(), wall_s=wall_s)


def box(runner: RunnerRow) -> Box:
    """What is compared of it."""
    text = runner.capabilities.model_dump_json()
    return Box(runner.name, text) if runner.is_up else Box(runner.name, text, runner.standing, runner.seen_at)


def _able(wanted: Wants, fleet: Fleet) -> list[Box]:
    """Those that have it all, up or not."""
    return [item for item in fleet if not lacks(wanted.needs, _capabilities(item.capabilities), approved=True)]


def _absent(item: Box) -> str:
    at = _("last seen {at}").format(at=moment(item.seen)) if item.seen else ""
    return f"{item.name} ({_(SHUT[item.standing]) if item.standing in SHUT else at})"


def _of_runners(wanted: Wants, fleet: Fleet) -> Iterator[Obstacle]:
    if not fleet:
        yield Obstacle("no_runner", _(NO_RUNNER))
        return
    able = _able(wanted, fleet)
    if able:
        if all(item.seen is not None for item in able):
            none_up = _("no runner that has it all is up: {runners}")
            yield Obstacle("away", none_up.format(runners=", ".join(map(_absent, able))))
        return
    all_have = [_capabilities(item.capabilities) for item in fleet]
    parts = list(_parts(wanted.needs, stated=wanted.stated))
    unmet = [said for part, said in parts if all(lacks(part, has, approved=True) for has in all_have)]
    together = _(" and ").join(unmet or [said for _part, said in parts])
    needs = _("needs {what}") if unmet else _("needs {what}, all on one runner")
    yield Obstacle("unmet", needs.format(what=together))


def _parts(needs: Needs, *, stated: bool) -> Iterator[tuple[Needs, str]]:
    """Each need by itself, with its words."""
    if needs.gpus:
        many = f"{needs.gpus}x {needs.accelerator}" if needs.accelerator else counted(needs.gpus, "GPU")
        said = many if stated else str(needs.accelerator)
        yield _only(gpus=needs.gpus, accelerator=needs.accelerator), said
    for item in needs.engines:
        place = _("the CPU") if item.device == "cpu" else _("GPUs")
        yield (
            _only(engines=(item,)),
            _("{title} {version} for {place}").format(
                title=ENGINES[item.name].title, version=item.version, place=place
            ),
        )
    if needs.wall_s:
        yield _only(wall_s=needs.wall_s), _("a time limit of {seconds} s").format(seconds=number(needs.wall_s, "g"))
    if needs.models or needs.flags or needs.asks:
        policy = _only().model_copy(update={"models": needs.models, "flags": needs.flags, "asks": needs.asks})
        yield policy, _("a runner whose policy lets it be started")


@lru_cache(maxsize=200)
def _capabilities(text: str) -> Capabilities:
    return Capabilities.model_validate_json(text)

"""A claim with its surroundings -> the context of its page. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from app.axes import AXES
from app.catalogue.pairs import partners
from app.claims.caveats import CAVEATS, told_once
from app.claims.conditions import FIELDS, values
from app.claims.quoting import quote_claim
from app.claims.wording import number
from app.claims.words import ACCEPTANCE, BASELINES, NOT_STATED, SCOPES, STATED_IN, fact_words, measures, printed
from app.language import N_, _, day
from app.tools.from_claim import speculates
from app.web.badge_svg import badge_of, snippet
from app.web.badges import badges
from app.web.claim_row import cells, label
from app.web.contexts import ClaimDetail, Contradicted, Fact, Link, Neighbour, ReadAs, ReasonLine, Shell, Told
from app.web.picture_words import of_claim, said_by
from app.web.shared_contexts import SharedAs
from app.web.state import address
from app.web.wording import (
    KINDS,
    NUMBERED,
    SEVERITIES,
    again,
    card_title,
    or_not_stated,
    plain,
    rule_place,
    source_url,
    stated_day,
    yes_or_no,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from app.cards.queries import CardRow
    from app.claims.schema import Acceptance, Baseline, ClaimRow, Conditions, Contradiction, Correction, OtherFigure
    from app.compare.schema import Reason
    from app.jobs.here import Here


# Rules whose sentence says no more than the field and its two values.
REPEATING = ("condition", "not-stated")
OF_ANY_NUMBER = ("R9", "R10")  # rules of the lint that need no ratio
# What is compared besides the conditions.
COMPARED_TOO = {
    "card": N_("card"),
    "axis": N_("axis"),
    "axis_version": N_("axis version"),
    "kind": N_("kind"),
    "scope": N_("scope"),
    "baseline": N_("baseline"),
    "ladder": N_("ladder"),
    "round": N_("round of measurements"),
    "unit": N_("unit"),
    "value": N_("value"),
    "prefill": N_("prefill"),
    "contradictions": N_("contradictions"),
}
WITHIN = N_("Contradicted within the source")
BETWEEN = N_("Contradicted between sources")


def shared(row: ClaimRow, root: str) -> SharedAs:
    """How a link to the claim, or to the card that it is, is shown elsewhere."""
    of = f"{root}/cards/{row.card.id}" if row.card else f"{root}/claims/{row.id}"
    return SharedAs(of, f"{of}/picture.png", said_by(of_claim(row, root)))


def claim_page(
    row: ClaimRow,
    *,
    lint: Sequence[Reason],
    names: Mapping[str, ClaimRow],
    cards: Sequence[CardRow] = (),
    root: str = "",
    here: Here,
    dummy: bool,
) -> ClaimDetail:
    """`names`: the claims that this one is often set against, and those that its record names, by id;
    `cards`: those that measured it again; `root`: this server's address, for what is to be copied; `here`: whether
    this installation's runners can measure it again; `dummy`: whether its badge speaks of random weights."""
    axis = AXES.get(row.axis)
    return ClaimDetail(
        shell=Shell(
            f"{row.headline}: {row.title}", f"{row.headline}: {measures(row)}. {row.title}", "/", shared(row, root)
        ),
        cells=cells(row),
        here=Link(plain(here.text), f"{_reproduced(row)}/reproduce"),
        written=row.written or "",
        axis=Fact(_(axis.name) if axis else row.axis, _(axis.definition) if axis else "", url=f"/axes#{row.axis}"),
        formula=_(axis.formula) if axis else "",
        facts=tuple(_facts(row)),
        against=tuple(_against(row.baseline)),
        conditions=tuple(_conditions(row)),
        acceptance=tuple(_acceptance(row.acceptance)),
        caveats=caveats(row),
        lint=_lint(lint),
        contradicted=tuple(_contradicted(row, names)),
        corrections=corrections(row.corrections, names),
        beside=tuple(_beside(item) for item in row.beside),
        check=or_not_stated(row.check),
        source=tuple(_source(row)),
        neighbours=tuple(
            neighbour(row, names[other], pair.why) for other, pair in partners(row.id).items() if other in names
        ),
        related=(
            *_related(row, names),
            *(Fact(_("Measured again"), card.title, url=f"/cards/{card.id}") for card in cards),
        ),
        quoted=quote_claim(row, root),
        badge=snippet(f"/claims/{row.id}", badge_of(row), root, dummy=dummy),
        json_url=f"/api/v1/claims/{row.id}",
        acts=tuple(_acts(row)),
    )


def _acts(row: ClaimRow) -> Iterator[Link]:
    if row.card:
        yield Link(_("The whole card"), f"/cards/{row.card.id}")
    yield Link(_("Compare with another claim"), address("/", [("ids", row.id)]))
    if both := configurations_url(row):
        yield Link(_("Low latency and high throughput together"), both)
    if speculates(row):
        yield Link(_("At another acceptance"), address("/tools/speculation", [("claim", row.id)]))
    yield Link(_("Reproduce"), f"{_reproduced(row)}/reproduce")
    yield Link(_("Record a repeat"), address("/cards/new", [("claim", row.id)]))


def _reproduced(row: ClaimRow) -> str:
    return f"/cards/{row.card.id}" if row.card else f"/claims/{row.id}"


def configurations_url(row: ClaimRow) -> str:
    """The two-configuration view that a claim belongs to; "" where engine or model is not stated."""
    engine, model = row.conditions.engine.name, row.conditions.model.id
    return address("/configurations", [("engine", engine), ("model", model)]) if engine and model else ""


def named_claims(row: ClaimRow) -> tuple[str, ...]:
    """Ids that the claim's record names, each once."""
    single = (row.supersedes, row.repeats, row.end_to_end, row.baseline.claim)
    found = [claim for claim in single if claim]
    found += row.equal_terms or ()
    found += [claim for item in row.contradictions for claim in item.claims]
    found += [claim for item in row.corrections for claim in item.claims]
    return tuple(dict.fromkeys(claim for claim in found if claim != row.id))


def _facts(row: ClaimRow) -> Iterator[Fact]:
    yield Fact(_("Kind of number"), _(KINDS[row.kind]))
    yield Fact(_("Scope"), _(SCOPES[row.scope]))
    if row.before is not None and row.after is not None:
        yield Fact(
            _("End points"),
            _("{before} to {after}").format(
                before=printed(row.before, row.points_unit), after=printed(row.after, row.points_unit)
            ),
        )
    yield stated(_("Statistic"), row.statistic)
    yield stated(_("Runs"), _runs(row))
    yield stated(_("Measured by"), row.measured_by or row.source.publisher)
    yield stated(_("Measured at"), row.measured_at)


def stated(name: str, value: object, url: str = "") -> Fact:
    return Fact(name, or_not_stated(value), value is not None, url)


def _against(baseline: Baseline) -> Iterator[Fact]:
    yield Fact(_("What"), baseline.text or _(BASELINES[baseline.kind]), baseline.kind != "not_stated")
    if baseline.kind != "none" and baseline.text:
        yield Fact(_("Kind"), _(BASELINES[baseline.kind]))
    if baseline.value is not None:
        url = f"/claims/{baseline.claim}" if baseline.claim else ""
        yield Fact(_("Its number"), printed(baseline.value, baseline.unit), url=url)
    if baseline.flaw:
        yield Fact(_("Flaw"), baseline.flaw)
    if baseline.conditions:
        for name, text in _given(baseline.conditions):
            yield Fact(_("There: {name}").format(name=name), text)
    if baseline.acceptance:
        yield from (
            Fact(_("There: {lower}").format(lower=item.name.lower()), item.text)
            for item in _acceptance(baseline.acceptance)
        )


def _given(conditions: Conditions) -> Iterator[tuple[str, str]]:
    """What a partial set of conditions states, by leaf."""
    for group, value in conditions.model_dump(exclude_none=True, exclude_defaults=True).items():
        if isinstance(value, dict):
            for name, leaf in value.items():
                field, said = f"{group}.{name}", yes_or_no(leaf) if isinstance(leaf, bool) else leaf
                yield _field(field), fact_words(field, said)
        elif group == "approximations":
            yield (
                _(group),
                ", ".join(f"{item['name']} {_('on') if item['on'] else _('off')}" for item in value) or _("none"),
            )
        else:
            yield _field(group), str(value)


def _conditions(row: ClaimRow) -> Iterator[Fact]:
    """Every condition that is stated, then in one line the names of all that are not."""
    read = {name: text for name, text in values(row).items() if name not in ("statistic", "acceptance")}
    said = {_field(name): text and fact_words(name, text) for name, text in read.items()}
    given = row.conditions
    said |= {
        _("system"): given.hardware.system,
        _("model revision"): given.model.revision,
        _("seed"): given.workload.seed,
        _("chat template"): yes_or_no(given.workload.chat_template),
        _("end of sequence ignored"): yes_or_no(given.workload.ignore_eos),
        _("requests"): given.workload.requests,
        _("turns"): given.workload.turns,
    }
    yield from (Fact(name, text) for name, text in said.items() if text is not None)
    missing = [name for name, text in said.items() if text is None]
    if missing:
        yield Fact(_(NOT_STATED), ", ".join(missing), stated=False)


def _acceptance(given: Acceptance) -> Iterator[Fact]:
    yield Fact(_("Acceptance"), _(ACCEPTANCE[given.kind]), given.kind != "not_stated")
    if given.target is not None:
        yield Fact(_("Set to"), _("{target} tokens per verify step").format(target=number(given.target)))
    if given.length is not None:
        yield Fact(_("Length"), _("{length} tokens per verify step").format(length=number(given.length)))
    if given.ceiling is not None:
        yield Fact(
            _("Ceiling"), _("{ceiling} tokens per verify step (drafts + 1)").format(ceiling=number(given.ceiling))
        )
    if given.note:
        yield Fact(_("Note"), given.note)


def caveats(row: ClaimRow) -> tuple[Told, ...]:
    """What is told of a claim under its kinds, besides its contradictions; their record is shown by itself."""
    written = [Told(_(CAVEATS[item.kind]), again(item.text), "") for item in told_once(row)]
    shown = badges(row)[0]
    heard = {item.kind for item in row.caveats} | {"contradicted"}
    return (*written, *(Told(badge.word, badge.text, "") for badge in shown if badge.kind not in heard))


def _lint(found: Sequence[Reason]) -> tuple[ReasonLine, ...]:
    """The findings; the page tells the contradictions above, so R9 is one line that names them."""
    lines = [reason_line(reason) for reason in found]
    once = [replace(line, message=_("The contradiction is told above.")) for line in lines if line.rule == "R9"][:1]
    return (*(line for line in lines if line.rule != "R9"), *once)


def _contradicted(row: ClaimRow, names: Mapping[str, ClaimRow]) -> Iterator[Contradicted]:
    """Contradictions under the heading that fits: the claims of one source, or of several."""
    elsewhere = {claim for claim, other in names.items() if other.source.id != row.source.id}
    apart = {item.id for item in row.contradictions if elsewhere & set(item.claims)}
    for heading, between in ((WITHIN, False), (BETWEEN, True)):
        items = [item for item in row.contradictions if (item.id in apart) is between]
        if items:
            yield Contradicted(_(heading), contradictions(items, names))


def _field(name: str) -> str:
    """What people call a condition."""
    if name in FIELDS:
        return _(FIELDS[name].label)
    return _(COMPARED_TOO[name]) if name in COMPARED_TOO else name.replace("_", " ").replace(".", " ")


def reason_line(reason: Reason) -> ReasonLine:
    """A reason for the page. Where its sentence only repeats both values it is left out; where a lint finding has no
    second value there is none to state."""
    none = "" if reason.severity == "lint" else None
    return ReasonLine(
        rule_url=f"/verdicts#{rule_place(reason.rule)}",
        rule=reason.rule if NUMBERED.fullmatch(reason.rule) else "",
        kind=reason.severity,
        word=_("mind") if reason.rule in OF_ANY_NUMBER else _(SEVERITIES[reason.severity]),
        field=_field(reason.field),
        a=fact_words(reason.field, none if reason.a is None else reason.a),
        b=fact_words(reason.field, none if reason.b is None else reason.b),
        message="" if reason.rule in REPEATING else reason.message,
    )


def contradictions(items: Iterable[Contradiction], names: Mapping[str, ClaimRow]) -> tuple[Told, ...]:
    return tuple(Told("", again(item.text), again(item.locator or ""), links(item.claims, names)) for item in items)


def corrections(items: Iterable[Correction], names: Mapping[str, ClaimRow]) -> tuple[ReadAs, ...]:
    return tuple(
        ReadAs(
            again(item.often_read_as),
            again(item.source_says),
            again(item.locator or ""),
            links(item.claims, names),
        )
        for item in items
    )


def links(claims: Iterable[str], names: Mapping[str, ClaimRow]) -> tuple[Link, ...]:
    """Links to claims by their number; a claim that is not among `names` is left out."""
    return tuple(Link(names[claim].headline, f"/claims/{claim}") for claim in claims if claim in names)


def _beside(item: OtherFigure) -> Fact:
    note = f" ({item.note})" if item.note else ""
    return Fact(again(item.name), printed(item.value, item.unit) + note)


def _runs(row: ClaimRow) -> str | None:
    return Markup(", ").join(again(part) for part in row.runs.split(", ")) if row.card and row.runs else row.runs


def _source_title(row: ClaimRow) -> str:
    return card_title(row.source.title, row.axis) if row.card else again(row.source.title)


def _source(row: ClaimRow) -> Iterator[Fact]:
    source = row.source
    yield Fact(_("Bench card") if row.card else _("Source"), _source_title(row), url=source_url(row))
    yield Fact(_("Where in it"), again(row.locator))
    yield Fact(_("Stated in"), _(STATED_IN[row.stated_in]))
    if row.evidence:
        measurement = row.evidence.measurement
        yield Fact(
            _("Traces"),
            _("kept in measurement {measurement}").format(measurement=measurement),
            url=f"/measurements/{measurement}",
        )
    yield Fact(_("Published"), or_not_stated(source.date and stated_day(source.date)), source.date is not None)
    yield Fact(_("Publisher"), source.publisher)
    yield Fact(_("Interest"), again(source.interest))
    yield Fact(_("Address"), source.url or _unlinked(row), source.url is not None, source.url or "")
    if row.card:
        yield Fact(_("Recorded"), day(row.retrieved))
    else:
        yield Fact(_("Retrieved"), day(row.retrieved))
        yield Fact(_("Last checked"), day(row.last_checked))
    repeated = row.reproduction
    yield Fact(
        _("Repeated"),
        again(repeated.text),
        True,
        f"/measurements/{repeated.measurement}" if repeated.measurement else "",
    )
    if repeated.measurement:
        yield Fact(_("How that is judged"), _("rules of the verdict"), url="/verdicts#measured-again")
    if repeated.others:
        yield Fact(_("Repeated by others"), repeated.others)


def _unlinked(row: ClaimRow) -> str:
    if row.evidence:
        return _("none; it was measured here")
    return _("not stated on the card") if row.card else _("not linked: we have not seen it given anywhere")


def neighbour(row: ClaimRow, other: ClaimRow, why: str) -> Neighbour:
    return Neighbour(label(other), again(why), address("/compare", [("ids", row.id), ("ids", other.id)]))


def _related(row: ClaimRow, names: Mapping[str, ClaimRow]) -> Iterator[Fact]:
    for name, claim in (
        (_("Supersedes"), row.supersedes),
        (_("Measures again"), row.repeats),
        (_("The whole effect"), row.end_to_end),
        *((_("At equal load"), claim) for claim in row.equal_terms or ()),
    ):
        if claim is not None and claim in names:
            yield Fact(name, label(names[claim]), url=f"/claims/{claim}")
    if row.round_place:
        varied = ", ".join(_(FIELDS[name].label) for name in row.round_place.varies if name in FIELDS)
        yield Fact(
            _("Measured together"),
            _("{title}; only these vary: {varied}").format(title=row.round_place.title, varied=varied or _("nothing")),
        )
    if row.ladder:
        place = _("step {step} of the ladder").format(step=row.ladder.step) + (
            _(", after {segment} break").format(segment=row.ladder.segment) if row.ladder.segment else ""
        )
        yield Fact(_("Ladder"), place, url=f"/sources/{row.source.id}#{row.ladder.ladder}")

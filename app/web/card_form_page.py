"""What was typed so far -> the form's contexts, with what the rules say of it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markupsafe import Markup

from app.axes import AXES
from app.cards.completeness import completeness, questions
from app.cards.form import INPUTS
from app.cards.rules import Finding
from app.claims.words import NOT_STATED, axis_name
from app.language import _, ngettext
from app.retold import retold
from app.web import card_form_fields as fields
from app.web.card_form_contexts import CheckPart, Editor, FormField, FormGroup, Found, OptionGroup, Slot, Suggestions
from app.web.contexts import Choice, Link
from app.web.wording import finding as finding_words
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.cards.load import ReadCard

TURNS = {path: turn for turn, path in enumerate(path for group in fields.GROUPS for path in (*group.key, *group.rest))}
BLOCK_FIELDS = {"workload": "workload.concurrency", "metric": "metric.axis", "result": "result.value"}


@dataclass(frozen=True)
class Typed:
    """A card as it is being written. In the tab `form`, `text` is what the form began with, changes put in."""

    tab: str
    text: str
    values: Mapping[str, str]
    read: ReadCard
    problems: Mapping[str, str] = field(default_factory=dict)  # by field: what could not be put into the text

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong, in the order in which it stands: of the fields, or of the text."""
        own = [Finding("E-form", "error", path, message) for path, message in self.problems.items()]
        found = (*own, *(item for item in self.read.findings if input_of(item.field) not in self.problems))
        return tuple(sorted(found, key=_turn)) if self.tab == "form" else found

    @property
    def blocked(self) -> bool:
        return any(item.severity == "error" for item in self.findings)


@dataclass(frozen=True)
class Frame:
    """What stands around the fields. `revision` is the one that an edit began from, "" for a new card."""

    action: str
    once: str
    revision: str = ""
    note: str = ""
    trouble: str = ""
    sign_in_url: str = ""
    known: Mapping[str, Sequence[str]] = field(default_factory=dict)  # values of other records, by field


def _turn(finding: Finding) -> int:
    """When a reader of the form comes to a finding's field; what has none comes last."""
    return TURNS.get(input_of(finding.field) or "", len(TURNS))


def editor(typed: Typed, frame: Frame, *, tried: bool) -> Editor:
    """`tried`: whether the card was to be recorded, so that every error stands by its field and above the form."""
    errors = _by_field(typed, tried=tried)
    lists = fields.suggestions(frame.known)
    return Editor(
        tab=typed.tab,
        action=frame.action,
        text=typed.text,
        groups=tuple(_group(group, typed, errors, lists) for group in fields.GROUPS),
        lists=tuple(Suggestions(f"list-{slug(path)}", values) for path, values in lists.items() if values),
        units={axis.key: axis.units[0] for axis in AXES.values() if axis.units},
        check=check_part(typed, tried=tried),
        trouble=frame.trouble or (_("This card cannot be recorded yet") if tried and typed.blocked else ""),
        sign_in_url=frame.sign_in_url,
        summary=tuple(_found(item, typed) for item in typed.findings if item.severity == "error") if tried else (),
        revision=frame.revision,
        note=frame.note,
        once=frame.once,
        record=_("Save as revision {number}").format(number=int(frame.revision) + 1)
        if frame.revision
        else _("Record this card"),
    )


def check_part(typed: Typed, *, tried: bool = False) -> CheckPart:
    errors = [item for item in typed.findings if item.severity == "error"]
    told = [item for item in errors if not _missing(item)]
    needed = [item for item in errors if _missing(item)]
    card = typed.read.readable
    return CheckPart(
        status=_status(len(told), len(needed), plan=card is not None and card.result is None),
        ready=not errors,
        errors=tuple(_found(item, typed) for item in told),
        needed=tuple(Link(_label(item.field), f"#{_anchor(item.field, typed)}") for item in needed),
        percent=completeness(card) if card else None,
        warnings=tuple(_found(item, typed) for item in typed.findings if item.severity == "warning"),
        questions=tuple(_(need.question) for need in questions(card)) if card else (),
        slots=tuple(_slots(typed, tried=tried)),
    )


def _missing(finding: Finding) -> bool:
    """Whether a finding only says that something is not there yet."""
    return finding.rule.startswith("E-missing-")


def _status(wrong: int, needed: int, *, plan: bool) -> str:
    if wrong:
        return ngettext("{n} thing to mend", "{n} things to mend", wrong).format(n=wrong)
    if needed:
        return ngettext("{n} thing still needed", "{n} things still needed", needed).format(n=needed)
    return _("Ready to record, as a plan without a result") if plan else _("Ready to record")


def _found(finding: Finding, typed: Typed) -> Found:
    at = finding.place if typed.tab == "yaml" and _stands(finding, typed) else None
    text = _sentence(finding)
    if at:
        line = _("Line {n}:").format(n=at.line) + " "
        text = Markup.escape(line) + text if isinstance(text, Markup) else line + text
    place = f"{at.line}:{at.column}" if at else ""
    return Found(Link(text, f"#{_anchor(finding.field, typed)}"), place, text, finding.rule)


def _stands(finding: Finding, typed: Typed) -> bool:
    """Whether a finding is about something that stands in the text; what is missing has no line."""
    document = typed.read.document
    return document is None or tuple(finding.field.split(".")) in document.places


def _sentence(finding: Finding) -> str:
    """A finding as one sentence; what is missing is named by the form's own field."""
    if _missing(finding):
        return plain(f"{_label(finding.field)} {retold(finding.message) or finding.message}")
    return finding_words(finding.field, finding.message)


def _label(path: str) -> str:
    where = input_of(path)
    return _(fields.doc(where).label) if where else plain(path)


def _anchor(path: str, typed: Typed) -> str:
    where = input_of(path)
    if typed.tab == "yaml":
        return "yaml"
    return "to-yaml" if where is None else f"f-{slug(where)}"


def slug(path: str) -> str:
    """A path as it may stand in an id: a point there would be read as a class."""
    return path.replace(".", "-")


def input_of(path: str) -> str | None:
    """The form's field that a finding's path belongs to; None where only the YAML has it."""
    bare = re.sub(r"\[.*", "", path)
    if bare in INPUTS:
        return bare
    block = bare.partition(".")[0]
    if block in ("parallelism", "approximations"):
        return block
    if bare.startswith("launch.env"):
        return "launch.env"
    if "." in bare:
        return None
    return BLOCK_FIELDS.get(bare) or next((name for name in INPUTS if name.startswith(f"{bare}.")), None)


def _by_field(typed: Typed, *, tried: bool) -> dict[str, str]:
    """One error a field. Before anybody tried to record the card, an empty field is not blamed for being empty."""
    found: dict[str, str] = {}
    for item in typed.findings:
        where = input_of(item.field)
        if item.severity == "error" and where and (tried or not _missing(item)):
            found.setdefault(where, _sentence(item))
    return found


def _slots(typed: Typed, *, tried: bool) -> Iterator[Slot]:
    errors = _by_field(typed, tried=tried)
    for path in INPUTS:
        yield Slot(f"e-{slug(path)}", "error", errors.get(path, ""))
    axis = typed.values.get("metric.axis", "")
    yield Slot("hint-result-unit", "hint", fields.units_hint(axis))
    yield Slot("hint-metric-axis", "hint", fields.axis_hint(axis))


def _group(
    group: fields.Group, typed: Typed, errors: Mapping[str, str], lists: Mapping[str, Sequence[str]]
) -> FormGroup:
    key = tuple(_field(path, typed, errors, lists) for path in group.key)
    rest = tuple(_field(path, typed, errors, lists) for path in group.rest)
    return FormGroup(
        id=group.id,
        heading=_(group.heading),
        fields=key,
        more=_(group.more),
        rest=rest,
        open=any(item.value or item.error for item in rest),
    )


def _field(path: str, typed: Typed, errors: Mapping[str, str], lists: Mapping[str, Sequence[str]]) -> FormField:
    doc, value = fields.doc(path), typed.values.get(path, "")
    options = _options(path, value)
    lines = path in fields.LONG or "\n" in value  # an input of one line would swallow the line end
    axis = typed.values.get("metric.axis", "")
    hints = {"result.unit": fields.units_hint(axis), "metric.axis": fields.axis_hint(axis)}
    return FormField(
        id=slug(path),
        name=path,
        label=_(doc.label),
        needed=path in fields.NEEDED,
        help=plain(_(fields.HELP.get(path, doc.says))),
        example=doc.example if not options and path not in ("launch.argv", "launch.env") else "",
        value=value,
        kind="select" if options else "lines" if lines else "text",
        rows=fields.LONG.get(path, 3),
        inputmode="numeric" if path in fields.NUMERIC else "decimal" if path in fields.DECIMAL else "",
        wide=path in fields.WIDE,
        list=f"list-{slug(path)}" if lists.get(path) and not options else "",
        options=options,
        hint=hints.get(path, ""),
        error=errors.get(path, ""),
    )


def _options(path: str, value: str) -> tuple[OptionGroup, ...]:
    """A select's options; a value that is none of them is offered too, so that it is not lost."""
    if path == "metric.axis":
        groups = [(_(label), [(axis.key, axis_name(axis.key)) for axis in axes]) for label, axes in fields.AXIS_GROUPS]
    elif path in fields.CHOICES:
        groups = [("", [(key, _(text)) for key, text in fields.CHOICES[path]])]
    else:
        return ()
    known = {key for _, options in groups for key, _ in options}
    first = [("", _(NOT_STATED))] + ([(value, value)] if value and value not in known else [])
    return tuple(
        OptionGroup(label, tuple(Choice("", path, key, text, key == value) for key, text in options))
        for label, options in [("", first), *groups]
    )

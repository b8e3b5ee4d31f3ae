"""An imported file -> what its page shows: the measurements, and what the file does not say. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from app.axes import AXES
from app.cards.export import to_yaml
from app.cards.fields import FIELDS
from app.cards.rules import REQUIRED
from app.claims.wording import number, with_unit
from app.claims.words import axis_name
from app.language import N_, _
from app.language import number as decimal
from app.protocol.english import named
from app.results.importers import TOOL_NAMES
from app.results.recording import read_chosen
from app.retold import retold
from app.web.contexts import Link, Shell
from app.web.import_contexts import Asked, Format, Group, ImportedPage, ImportPage, Measurement, Warned
from app.web.wording import again, field_name, finding, told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.cards.load import ReadCard
    from app.cards.rules import Finding
    from app.results.importers import Imported, ImportProblem, ImportReport
    from app.results.importers import Warned as WarnedOf
    from app.results.queries import Stored

SHOWN = 100  # measurements on a page
ABOUT = N_("Read another tool's result file into bench cards: kept by its hash, mapped by definition, nothing guessed.")
FILES: dict[str, str] = {
    "vllm-bench": N_("the JSON of --save-result, also with --append-result or --save-detailed"),
    "sglang-bench": N_("the JSON lines of --output-file, old and new"),
    "guidellm": N_("benchmarks.json (report version 2)"),
    "aiperf": "profile_export_aiperf.json",
    "inference-perf": N_("summary or stage lifecycle metrics"),
    "genai-bench": N_("the JSON of one experiment and scenario"),
    "inferencex": N_("a raw result, agg_bmk.json, or the AgentX aggregate"),
    "llm-d": N_("Benchmark Report 0.1, 0.2 or 0.2.1, YAML or JSON"),
    "mlperf": N_("the summary CSV"),
}
# As people think of a measurement, by the card's blocks.
GROUPS = {
    N_("What ran"): ("engine", "model", "dtypes", "speculation", "approximations", "launch"),
    N_("On what"): ("hardware", "parallelism"),
    N_("How loaded"): ("workload",),
    N_("What came out"): ("metric", "runs"),
}
OPTIONS = {
    "speculation.acceptance": ("measured", "simulated", "synthetic"),
    "workload.prefix_cache": ("cleared before each run", "off", "warm"),
    "speculation.method": ("off",),
    "approximations": ("none",),
    "engine.name": ("vllm", "sglang"),
}
LABELS = {"parallelism.tp": N_("Parallelism")}
HINTS = {
    "launch.argv": N_("The server's command line as you typed it."),
    "approximations": N_("none, or their names: swa-bounded-replay on"),
    "parallelism.tp": N_("TP4, DEP2, TP8/EP8"),
}


def import_page(
    chosen: str, most_bytes: int, sign_in_url: str, trouble: str = "", problems: Sequence[str] = ()
) -> ImportPage:
    return ImportPage(
        shell=Shell(_("Import a result file"), _(ABOUT), "/cards"),
        formats=tuple(Format(key, tool, _(FILES[key])) for key, tool in TOOL_NAMES.items()),
        chosen=chosen if chosen in TOOL_NAMES else "auto",
        most=_("{most_bytes} MB").format(most_bytes=most_bytes // 1024**2),
        sign_in_url=sign_in_url,
        trouble=trouble,
        problems=tuple(problems),
    )


def imported_page(
    stored: Stored,
    sign_in_url: str,
    check: Callable[[ReadCard], ReadCard],
    typed: Mapping[str, str],
    parts: Sequence[int],
    errors: Sequence[Finding] = (),
    start: int | None = None,
) -> ImportedPage:
    """`typed` and `parts` are what the visitor answered and chose so far; `errors` why that was not taken; `start` is
    the first measurement to show, without it the page of the first chosen one."""
    report = stored.report
    assert report.format is not None
    version = f" {report.tool_version}" if report.tool_version else ""
    total = len(report.imported)
    first = start or (min(parts, default=1) - 1) // SHOWN * SHOWN + 1
    first = first if first <= total else 1
    alike = {tuple(asked.field for asked in one.questions): part for part, one in enumerate(report.imported, start=1)}
    missing = {error.field for error in read_chosen(report, [*alike.values()], {}, check).errors}
    url = f"/import/{stored.sha256}"
    several = report.imported[1:]
    shared = [said for said in report.imported[0].warnings if several and all(said in one.warnings for one in several)]
    asked = _asked(report, typed, errors)
    needed = [item for item in asked if _is_needed(item.field, missing)]
    return ImportedPage(
        shell=Shell(_("{name}: imported").format(name=stored.name), _(ABOUT), "/cards"),
        name=stored.name,
        tool=TOOL_NAMES[report.format] + version,
        size=_size(stored.size),
        sha256=stored.sha256,
        file_url=f"/api/v1/imports/{stored.sha256}/file",
        total=total,
        measurements=tuple(
            _measurement(part, one, part in parts, stored.recorded.get(part, ()), shared)
            for part, one in enumerate(report.imported[first - 1 : first - 1 + SHOWN], start=first)
        ),
        earlier_url=f"{url}?from={max(1, first - SHOWN)}" if first > 1 else "",
        later_url=f"{url}?from={first + SHOWN}" if first + SHOWN <= total else "",
        all_chosen=bool(errors) and len(set(parts)) == total,  # not before somebody chose it
        warnings=_worded(shared),
        needed=_grouped(needed),
        wanted=_grouped([item for item in asked if item not in needed]),
        unread=tuple(problem_text(problem) for problem in report.problems),
        sign_in_url=sign_in_url,
        troubles=tuple(_trouble(error) for error in sorted(errors, key=_place_in_form)),
        url=url,
    )


def problem_text(problem: ImportProblem) -> str:
    where = [
        _("line {line}").format(line=problem.line) if problem.line else "",
        _("column {column}").format(column=problem.column) if problem.column else "",
        _("at {path}").format(path=problem.path) if problem.path else "",
    ]
    place = ", ".join(part for part in where if part)
    said = told(problem.message)
    return Markup(": ").join((place, said)) if place else said


def _measurement(
    part: int, one: Imported, chosen: bool, recorded: Sequence[str], shared: Sequence[WarnedOf]
) -> Measurement:
    card = one.card
    assert card.result is not None
    assert card.metric is not None
    axis = AXES[card.metric.axis]
    return Measurement(
        part=part,
        chosen=chosen,
        headline=with_unit(number(card.result.value), card.result.unit),
        axis=axis_name(axis.key),
        axis_url=f"/axes#{axis.key}",
        where=retold(one.where) or one.where,
        also=tuple(
            f"{axis_name(figure.axis)}{f', {figure.statistic}' if figure.statistic else ''}: "
            f"{with_unit(number(figure.value), figure.unit)}"
            for figure in card.also or ()
        ),
        warnings=_worded([said for said in one.warnings if said not in shared]),
        recorded=tuple(map(_card, recorded)),
        yaml=to_yaml(card),
    )


def recorded_now(stored: Stored, given: Sequence[str]) -> tuple[Link, ...]:
    """The cards of the file among those that an address names."""
    return tuple(_card(card_id) for cards in stored.recorded.values() for card_id in cards if card_id in given)


def _card(card_id: str) -> Link:
    return Link(card_id, f"/cards/{quote(card_id)}")


def _worded(warnings: Sequence[WarnedOf]) -> tuple[Warned, ...]:
    """Many messages begin with the field's name themselves."""
    return tuple(
        Warned("" if said.message.startswith(said.field) else said.field, _warning(said.message)) for said in warnings
    )


def _warning(message: str) -> str:
    """Where a tool's number is defined otherwise, its name stands before the axis's note on that tool."""
    name, colon, note = message.partition(": ")
    said = retold(note) if colon and retold(message) is None else None
    return again(message) if said is None else f"{name}: {said}"


def _asked(report: ImportReport, typed: Mapping[str, str], errors: Sequence[Finding]) -> list[Asked]:
    """Every question of every part, once."""
    whose: dict[str, list[int]] = {}
    says: dict[str, str] = {}
    for part, one in enumerate(report.imported, start=1):
        for question in one.questions:
            whose.setdefault(question.field, []).append(part)
            says[question.field] = question.question
    return [
        Asked(
            field=field,
            label=_(LABELS[field]) if field in LABELS else field_name(field),
            question=_(says[field]),
            hint=_(HINTS[field])
            if field in HINTS
            else _("For example: {example}").format(example=FIELDS[field].example),
            value=typed.get(field, ""),
            whose=""
            if len(parts) == len(report.imported)
            else _("goes into {parts}, which lack it").format(parts=_parts(parts)),
            options=OPTIONS.get(field, ()),
            trouble=Markup("; ").join(told(error.message) for error in errors if error.field == field),
        )
        for field, parts in whose.items()
    ]


def _parts(parts: Sequence[int]) -> str:
    if len(parts) > 6:
        return _("{n} of the measurements").format(n=len(parts))
    return f"{named(len(parts), 'measurement')} {', '.join(map(str, parts))}"


def _is_needed(field: str, missing: set[str]) -> bool:
    """Whether it belongs to what no card can do without."""
    block = field.partition(".")[0]
    return field in missing or block in missing or (block in REQUIRED and field == _first_of(block))


def _first_of(block: str) -> str:
    """The field to begin a card's block with; what is no block is its own."""
    return next((path for path in FIELDS if path.startswith(f"{block}.")), block)


def _grouped(asked: Sequence[Asked]) -> tuple[Group, ...]:
    groups = [
        Group(_(heading), tuple(item for item in asked if item.field.partition(".")[0] in blocks))
        for heading, blocks in GROUPS.items()
    ]
    return tuple(group for group in groups if group.asked)


def _place_in_form(error: Finding) -> int:
    order = [block for blocks in GROUPS.values() for block in blocks]
    block = error.field.partition(".")[0]
    return order.index(block) if block in order else len(order)


def _trouble(error: Finding) -> Link:
    field = _first_of(error.field)
    text = finding(error.field, error.message) if field in FIELDS else told(error.message)
    return Link(text, f"#{field or 'parts'}")


def _size(count: int) -> str:
    """In the unit that leaves one to three digits before the point."""
    if count < 1000:
        return _("{count} bytes").format(count=count)
    return (
        _("{count} kB").format(count=decimal(count / 1000, ".1f"))
        if count < 1_000_000
        else _("{count} MB").format(count=decimal(count / 1000000, ".1f"))
    )

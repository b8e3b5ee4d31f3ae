"""The tools: a form by GET, so that an address holds the whole question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.catalogue.models import weights
from app.errors import InvalidInputError, NotFoundError
from app.language import _
from app.tools import capacity, references, speculation, workload, workload_fields
from app.tools.asked import missing
from app.tools.from_claim import speculation_of
from app.tools.presets import presets
from app.tools.schema import WorkloadAnswer
from app.web.claim_row import label
from app.web.near_table import shown
from app.web.reading import catalogue, present
from app.web.render import respond
from app.web.tools_page import Asked, Origin, answer_part, canonical, tool_page, tools_page
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.catalogue.queries import Catalogue
    from app.tools.asked import Field
    from app.tools.presets import Preset
    from app.tools.schema import Answer, Tool

router = APIRouter(default_response_class=HTMLResponse)
FIELDS: dict[Tool, Sequence[Field]] = {
    "workload": workload_fields.FIELDS,
    "capacity": capacity.FIELDS,
    "speculation": speculation.FIELDS,
}


@router.get("/tools")
def all_tools(request: Request) -> HTMLResponse:
    """What the tools do, each with the answer of its worked example."""
    reading = catalogue(request)
    examples: dict[Tool, tuple[str, str]] = {}
    for tool in FIELDS:
        first = presets(tool, weights())[0]
        if answer := _example(reading, tool, first):
            examples[tool] = (_(first.name), answer.verdict)
    return respond(request, tools_page(examples))


@router.get("/tools/workload")
def workload_tool(request: Request) -> HTMLResponse:
    return _page(request, "workload")


@router.get("/tools/capacity")
def capacity_tool(request: Request) -> HTMLResponse:
    return _page(request, "capacity")


@router.get("/tools/speculation")
def speculation_tool(request: Request) -> HTMLResponse:
    """`claim` fills what a claim states; what is typed goes over it."""
    return _page(request, "speculation")


def _page(request: Request, tool: Tool) -> HTMLResponse:
    asked, status = _asked(request, tool)
    if isinstance(asked.answer, WorkloadAnswer):
        near = [item.id for items in shown(asked.answer).values() for item in items]
        asked = replace(asked, rows=present(catalogue(request), near))
    headers = {"HX-Replace-Url": canonical(asked)}
    return respond(request, tool_page(asked), part=answer_part(asked), status=status, headers=headers)


def _asked(request: Request, tool: Tool) -> tuple[Asked, int]:
    """What was asked with what comes of it, and the page's status."""
    reading, fields, query = catalogue(request), FIELDS[tool], request.query_params
    own = {field.name: text for field in fields if (text := query.get(field.name, "").strip())}
    claim, origin, typed = query.get("claim", "") if tool == "speculation" else "", None, own
    listed = presets(tool, weights())
    if claim:
        try:
            origin, taken = _taken(reading, claim)
        except NotFoundError as error:
            return Asked(tool, fields, own, problems=[("claim", plain(error.message))], presets=listed, own=own), 404
        typed = {**taken, **own}
    if not typed:
        example = listed[0]
        answer = _example(reading, tool, example)
        waiting = "" if answer else _("Put your numbers in; the answer comes here.")
        asked = Asked(tool, fields, {}, answer, waiting=waiting, example=example, presets=listed, origin=origin)
        return asked, 200
    waiting = _waiting(tool, fields, typed)
    problems: list[tuple[str, str]] = []
    answer = None
    try:
        answer = _answer(reading, tool, typed, claim)
    except InvalidInputError as error:
        found = [(str(item["field"]), plain(str(item["message"]))) for item in error.details]
        problems = [(name, text) for name, text in found if not waiting or typed.get(name)]
    return Asked(tool, fields, typed, answer, problems, waiting, None, listed, origin, own), 422 if problems else 200


def _waiting(tool: Tool, fields: Sequence[Field], typed: Mapping[str, str]) -> str:
    """What is still needed for an answer, in one sentence; "" for nothing."""
    names = [_(field.label) for field in missing(fields, typed)]
    if tool == "speculation" and speculation.missing_numbers(typed):
        names.append(_("two of rate, acceptance length and step time"))
    if tool == "capacity":
        lacking = capacity.NEEDED_BY_SHAPE.get(typed.get("kv", ""), ())
        names += [_(field.label) for field in fields if field.name in lacking and not typed.get(field.name)]
    return _("Still needed: {names}.").format(names="; ".join(names)) if names else ""


def _answer(reading: Catalogue, tool: Tool, typed: Mapping[str, str], claim: str) -> Answer:
    if tool == "workload":
        known = workload.Known(present(reading, references.IDS), reading.workloads())
        return workload.workload(typed, known)
    return capacity.capacity(typed) if tool == "capacity" else speculation.speculation(typed, claim)


def _example(reading: Catalogue, tool: Tool, preset: Preset) -> Answer | None:
    """The answer of a preset; None where its claim is not in this catalogue."""
    typed = dict(preset.values)
    if preset.claim:
        try:
            typed = {**_taken(reading, preset.claim)[1], **typed}
        except NotFoundError:
            return None
    return _answer(reading, tool, typed, preset.claim)


def _taken(reading: Catalogue, claim: str) -> tuple[Origin, Mapping[str, str]]:
    """Raises NotFoundError."""
    row = reading.claim(claim)
    taken = speculation_of(row, reading.all_of_source(row.source.id))
    if taken.why:
        note = _("Nothing could be taken from it: {why}.").format(why=taken.why)
    else:
        off = _(" The rate without speculation is its source’s own, {off}.").format(off=taken.off) if taken.off else ""
        note = _("What you change goes over its numbers.{off}").format(off=off)
    return Origin(row.id, label(row), note), taken.typed

"""The two-configuration view of one engine and model."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.claims.index import NOT_STATED
from app.errors import InvalidInputError
from app.web.configurations_page import configurations_page
from app.web.contexts import Trouble
from app.web.reading import catalogue
from app.web.render import respond
from app.web.wording import plain

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/configurations")
def configurations(request: Request) -> HTMLResponse:
    """`engine` and `model` as the table spells them; without both, the choice of them."""
    reading, query = catalogue(request), request.query_params
    engine, model = query.get("engine", ""), query.get("model", "")
    facets = reading.index().facets
    engines, models = ([name for name in facets[facet].values if name != NOT_STATED] for facet in ("engine", "model"))
    found, troubles = None, []
    if engine and model:
        try:
            found = reading.configurations(engine, model)
        except InvalidInputError as error:
            troubles = [Trouble(str(item["field"]), plain(str(item["message"]))) for item in error.details]
    page = configurations_page(engine, model, (engines, models), found, troubles)
    return respond(request, page, status=422 if troubles else 200)

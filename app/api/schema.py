"""The shapes of the JSON API. Facts keep their names and their text of the claim schema; null means "not stated"."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.axes import AXES, Direction, Meaning
from app.claims.rows import Sort
from app.claims.schema import (
    AcceptanceKind,
    CaveatKind,
    ClaimRow,
    Kind,
    RecordKind,
    ReproductionStatus,
    Scope,
    StatedIn,
)
from app.claims.search import LONGEST
from app.jobs.here import Here


def digits(given: object) -> object:
    """A whole number as digits only: no `1_0`, `+5` or ` 5 `, which the conversion would let pass."""
    if isinstance(given, str) and not (given.isascii() and given.isdigit()):
        raise PydanticCustomError("int_parsing", "a whole number is written with digits only")
    return given


# Described as the closed list that it is; the read side refuses others and names the nearest.
AxisKey = Annotated[str, WithJsonSchema({"type": "string", "enum": list(AXES)})]
Limit = Annotated[int, Field(ge=1, le=500, description="items of a page"), BeforeValidator(digits)]
Cursor = Annotated[str | None, Field(max_length=400, description="next of the page before")]
# What app.asked holds every value to, described where any text fits.
PLAIN_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
Q = Annotated[
    str,
    Field(
        max_length=LONGEST,
        description="words that must all occur somewhere in the claim",
        json_schema_extra={"pattern": f"{PLAIN_TEXT}*$"},
    ),
]
Name = Annotated[str, WithJsonSchema({"type": "string", "pattern": f"{PLAIN_TEXT}+$"})]


class ClaimQuery(BaseModel):
    """Filters by facet: a facet may be given several times (any of its values); different facets must all hold."""

    record: list[RecordKind] = Field(default=[], description="a published claim, or the number of a bench card")
    engine: list[str] = Field(default=[], description="as written in the claim; not_stated where it is not")
    model: list[str] = Field(default=[], description="as written in the claim; not_stated where it is not")
    axis: list[AxisKey] = Field(default=[], description="key of an axis, see /api/v1/axes")
    kind: list[Kind] = []
    scope: list[Scope] = []
    hardware: list[str] = Field(default=[], description="one GPU's name; not_stated where it is not")
    acceptance: list[AcceptanceKind] = []
    stated_in: list[StatedIn] = []
    caveat: list[CaveatKind] = []
    status: list[ReproductionStatus] = []
    source: list[str] = Field(default=[], description="id of a source or of a card; `cards` for all bench cards")
    q: Q = ""
    sort: Sort = Field(default="rank", description="by value within one axis only")


class ClaimListQuery(ClaimQuery):
    cursor: Cursor = None
    limit: Limit = 50


class SourceListQuery(BaseModel):
    cursor: Cursor = None
    limit: Limit = 50


class CompareQuery(BaseModel):
    a: Name = Field(description="id of a claim")
    b: Name = Field(description="id of another claim; a ratio is b / a")


class ApiClaim(ClaimRow):
    """A claim as the API gives it: numbers are text, exactly as the source writes them."""

    engine: str | None
    model: str | None
    here: Here


class ClaimList(BaseModel):
    items: list[ApiClaim]
    total: int = Field(description="claims that the filter leaves, on all pages together")
    next: str | None = Field(description="cursor of the next page; null on the last")


class SourceItem(BaseModel):
    id: str
    revision: int
    title: str
    url: str | None
    url_seen_cited: bool = Field(description="false: the address is a guess that nobody was seen to cite")
    date: str | None
    publisher: str
    interest: str
    type: str
    summary: str
    retrieved: str
    last_checked: str
    claims: int = Field(description="how many claims it has")


class SourceList(BaseModel):
    items: list[SourceItem]
    total: int
    next: str | None


class ApiToolName(BaseModel):
    tool: str
    name: str
    meaning: Meaning
    note: str


class ApiAxis(BaseModel):
    """A metric definition. Numbers of different axes, or of different versions of one, are not comparable."""

    key: str
    name: str
    definition: str
    formula: str
    units: list[str]
    direction: Direction
    tail: str
    numerator: str
    denominator: str
    window: str
    matters: list[str] = Field(description="groups of conditions without which a number cannot be judged")
    tools: list[ApiToolName]
    version: int
    source: str


class AxisList(BaseModel):
    items: list[ApiAxis]
    total: int
    next: None = None


class Health(BaseModel):
    status: Literal["ok"]
    version: str
    database: str
    warnings: list[str]
    claims: int
    sources: int
    catalogue_version: int = Field(description="goes up with every change of the catalogue")

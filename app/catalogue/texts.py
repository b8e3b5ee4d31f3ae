"""What no text of the catalogue may hold, whatever field it stands in; and lists of one shape. Pure."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from app.claims.schema import Fact
from app.yaml_tree import Document, explain, parse

if TYPE_CHECKING:
    from app.yaml_tree import Path

LONGEST = 20_000  # characters; the longest shipped text has 653
FactType = TypeVar("FactType", bound=Fact)


def parse_clean(text: str, file: str) -> Document:
    """`app.yaml_tree.parse`, with a problem for every text that a page or a terminal must not be given."""
    document = parse(text, file)
    _check(document, document.data, ())
    return document


def _check(document: Document, value: Any, path: Path) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check(document, key, (*path, key))
            _check(document, inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check(document, inner, (*path, number))
    elif isinstance(value, str):
        if len(value) > LONGEST:
            document.problem(path, f"has {len(value)} characters; at most {LONGEST} fit here")
        elif control := next((char for char in value if unicodedata.category(char) == "Cc" and char not in "\n\t"), ""):
            document.problem(path, f"holds the control character U+{ord(control):04X}; remove it")


def read_list(name: str, text: str, shape: type[FactType]) -> tuple[Document, dict[int, FactType]]:
    """A file that is one list. The document carries its problems; sound items come by their number in the file."""
    document = parse_clean(text, name)
    found: dict[int, FactType] = {}
    if not isinstance(document.data, list):
        if not document.problems:
            document.problem((), "is a list, one `- ` an item")
        return document, found
    for number, item in enumerate(document.data):
        try:
            found[number] = shape.model_validate(item)
        except ValidationError as error:
            document.explained(explain(error, shape), (number,))
    return document, found

"""Other tools' result files -> cards: one module a format, mapped by what a number means and not by its name. Pure."""

from app.results.importers.reading import MOST_BYTES, detect, read
from app.results.importers.schema import (
    TOOL_NAMES,
    Format,
    Imported,
    ImportProblem,
    ImportReport,
    Question,
    Warned,
)

__all__ = [
    "MOST_BYTES",
    "TOOL_NAMES",
    "Format",
    "ImportProblem",
    "ImportReport",
    "Imported",
    "Question",
    "Warned",
    "detect",
    "read",
]

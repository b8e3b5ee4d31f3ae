"""What an importer hands back: cards, what is wrong with the file, and what has to be asked. Pure data."""

from __future__ import annotations

from typing import Literal

from app.cards.schema import Card
from app.claims.schema import Fact

Format = Literal[
    "vllm-bench",
    "sglang-bench",
    "guidellm",
    "aiperf",
    "inference-perf",
    "genai-bench",
    "inferencex",
    "llm-d",
    "mlperf",
]

TOOL_NAMES: dict[Format, str] = {
    "vllm-bench": "vllm bench serve",
    "sglang-bench": "sglang.bench_serving",
    "guidellm": "guidellm",
    "aiperf": "aiperf",
    "inference-perf": "inference-perf",
    "genai-bench": "genai-bench",
    "inferencex": "InferenceX",
    "llm-d": "llm-d Benchmark Report",
    "mlperf": "MLPerf Inference summary",
}


class Warned(Fact):
    """A reason not to read a figure at face value. `trap` is T1 to T20 or one of this project's own ids:

    definition (the tool's formula is not the axis's), failures, not-finite, out-of-range, refused, stopped-early,
    tool (a warning that the tool itself wrote), invalid (the tool says that the run does not count).
    """

    trap: str
    field: str
    message: str


class Question(Fact):
    """A field of the card that the file does not hold: the import form asks for it, nothing is guessed."""

    field: str
    question: str


class Imported(Fact):
    """One card out of a file. `where` is its line, JSON path or row, where the file holds several."""

    card: Card
    where: str
    questions: tuple[Question, ...] = ()
    warnings: tuple[Warned, ...] = ()


class ImportProblem(Fact):
    """Something that could not be read: 1-based line and column, or the JSON path, as far as either is known."""

    message: str
    line: int | None = None
    column: int | None = None
    path: str | None = None


class ImportReport(Fact):
    """Everything that one file gave. `format` is None where no importer knows the file."""

    format: Format | None
    tool_version: str | None = None
    imported: tuple[Imported, ...] = ()
    problems: tuple[ImportProblem, ...] = ()

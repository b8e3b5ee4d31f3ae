"""Which tool wrote a file, and its cards. Pure: bytes in, report out, and never an exception for what a file holds."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import (
    aiperf,
    genai_bench,
    guidellm,
    inference_perf,
    inferencex,
    llmd_report,
    mlperf_csv,
    sglang_bench,
    sweep,
    vllm_bench,
)
from app.results.importers.json_tree import MOST_DOCUMENTS, MOST_PROBLEMS, documents
from app.results.importers.schema import TOOL_NAMES, Format, Imported, ImportProblem, ImportReport
from app.results.importers.source import Importer, RawSource
from app.yaml_tree import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_BYTES = 512 * 1024 * 1024
MOST_YAML_BYTES = 256 * 1024  # a report has about 20 KB; YAML takes a hundred times as long to read as JSON
MOST_YAML_VALUES = 10_000
BLANK_BYTES = 2 * 1024 * 1024  # that are looked at before a file counts as one that holds something
UTF8_BOM = b"\xef\xbb\xbf"
OTHER_BOMS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}

IMPORTERS: tuple[Importer, ...] = (
    aiperf.IMPORTER,
    guidellm.IMPORTER,
    genai_bench.IMPORTER,
    inference_perf.IMPORTER,
    llmd_report.IMPORTER,
    sglang_bench.IMPORTER,
    vllm_bench.IMPORTER,
    inferencex.IMPORTER,
    mlperf_csv.IMPORTER,
)


@dataclass
class _Opened:
    """A file as trees, each with the place where it stands."""

    trees: list[tuple[Any, str]] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)


def detect(name: str, data: bytes) -> Format | None:
    """The format of the first document that an importer knows."""
    opened = _open(name, data)
    return next((importer.format for tree, _ in opened.trees if (importer := _importer_of(tree))), None)


def read(name: str, data: bytes, format: Format | None = None) -> ImportReport:
    """Every card of the file; with `format`, only as that tool's file."""
    opened = _open(name, data)
    raw = RawSource.of(name, data)
    chosen = [importer for importer in IMPORTERS if format in (None, importer.format)]
    found: list[Imported] = []
    problems = opened.problems
    formats: dict[Format, str | None] = {}
    unknown: list[str] = []
    for tree, where in opened.trees:
        importer = _importer_of(tree, chosen)
        if importer is None:
            unknown.append(where)
            continue
        formats.setdefault(importer.format, importer.version(tree))
        for part in _parts(importer, tree, raw, where):
            if isinstance(part, ImportProblem):
                problems.append(part)
            elif len(found) < MOST_DOCUMENTS:
                found.append(part)
    if unknown:
        message = _unknown(format)
        if len(unknown) > 1:
            message = F_("{said} (and {number} more parts)").format(said=message, number=len(unknown) - 1)
        problems.append(ImportProblem(message=message, path=unknown[0] or None))
    first = next(iter(formats), None)
    return ImportReport(
        format=first,
        tool_version=formats[first] if first else None,
        imported=sweep.marked(found),
        problems=tuple(problems[:MOST_PROBLEMS]),
    )


def _parts(importer: Importer, tree: Any, raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    try:
        yield from importer.read(tree, raw, where)
    except RecursionError:  # a value that could be read, but is too deep to be written out again
        yield ImportProblem(message=F_("nested too deeply for a result file"), path=where or None)


def _importer_of(tree: Any, among: Sequence[Importer] = IMPORTERS) -> Importer | None:
    return next((importer for importer in among if importer.fits(tree)), None)


def _unknown(wanted: Format | None) -> str:
    if wanted:
        return F_("this is no result of {tool}").format(tool=TOOL_NAMES[wanted])
    return F_("not a result of any tool known here: {tools}").format(tools=", ".join(TOOL_NAMES.values()))


def _open(name: str, data: bytes) -> _Opened:
    refused = _refusal(data)
    if refused:
        return _Opened(problems=[ImportProblem(message=refused, line=1, column=1)])
    text = data.removeprefix(UTF8_BOM)
    start = text[:4096].lstrip()
    if name.lower().endswith(".csv") or start.startswith((b'"Organization"', b"Organization,")):
        return _table(text)
    if start.startswith((b"{", b"[")):
        found, problems = documents(text)
        several = len(found) + len(problems) > 1
        places = [F_("line {number}").format(number=document.line) if several else "" for document in found]
        return _Opened([(document.tree, place) for document, place in zip(found, places, strict=True)], problems)
    return _yaml(name, text)


def _refusal(data: bytes) -> str | None:
    if len(data) > MOST_BYTES:
        return F_("the file is larger than {number} MB").format(number=MOST_BYTES // 1024 // 1024)
    if data.removeprefix(UTF8_BOM)[:BLANK_BYTES].isspace() or not data.removeprefix(UTF8_BOM):
        return F_("the file is empty")
    encoding = next((said for mark, said in OTHER_BOMS.items() if data.startswith(mark)), None)
    if encoding is None and b"\x00" in data[:64]:
        encoding = "UTF-16 or binary"
    return F_("the file is {encoding}; save it as UTF-8 and try again").format(encoding=encoding) if encoding else None


def _text(data: bytes, opened: _Opened) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        opened.problems.append(ImportProblem(message=F_("this is not UTF-8 text"), line=line, column=column))
        return None


def _table(data: bytes) -> _Opened:
    opened = _Opened()
    text = _text(data, opened)
    if text is None:
        return opened
    rows: list[dict[str, str]] = []
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    begins = 1  # the line where the row begins that is read next
    try:
        for cells in lines:
            if begins == 1:
                header = cells
            elif len(rows) == MOST_DOCUMENTS:
                opened.problems.append(
                    ImportProblem(message=F_("only the first {number} rows are read").format(number=MOST_DOCUMENTS))
                )
                break
            elif cells and len(cells) != len(header):
                message = F_("this row has another number of columns than the first line")
                opened.problems.append(ImportProblem(message=message, line=begins, column=1))
            elif cells:
                rows.append(dict(zip(header, cells, strict=True)))
            begins = lines.line_num + 1
    except csv.Error as error:
        problem = ImportProblem(
            message=F_("the row that begins here is not CSV: {error}").format(error=error), line=begins, column=1
        )
        opened.problems.append(problem)
    opened.trees.append((rows, ""))
    return opened


def _yaml(name: str, data: bytes) -> _Opened:
    opened = _Opened()
    if len(data) > MOST_YAML_BYTES:
        message = F_("neither JSON nor CSV, and too large for YAML ({number} KB at most)").format(
            number=MOST_YAML_BYTES // 1024
        )
        opened.problems.append(ImportProblem(message=message, line=1, column=1))
        return opened
    text = _text(data, opened)
    if text is None:
        return opened
    document = parse(text, name, MOST_YAML_VALUES)
    for problem in document.problems[:MOST_PROBLEMS]:
        place = problem.place
        message = f"{problem.path}: {problem.message}" if problem.path else problem.message
        opened.problems.append(ImportProblem(message=message, line=place.line, column=place.column))
    if not document.problems:
        opened.trees.append((document.data, ""))
    return opened

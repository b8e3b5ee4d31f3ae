"""The catalogue of an installation: a folder of sources, and the lists of models and pairs that ship with the code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.catalogue import models, pairs
from app.catalogue.files import read_files
from app.catalogue.load import read_sources
from app.errors import CatalogueError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.catalogue.check import Known
    from app.catalogue.load import LoadedSource
    from app.yaml_tree import Problem

SOURCES = Path(__file__).with_name("sources")


def read_catalogue(folder: Path, more: Iterable[Path] = ()) -> list[LoadedSource]:
    """The sources of `folder`, and of the files `more` beside it.

    Raises CatalogueError with every problem of every file, SettingError where the folder holds no catalogue: taken for
    an empty one it would withdraw every source.
    """
    paths = {path.resolve(): path for path in (*_listed(folder), *more)}
    texts, unread = read_files(paths.values())
    read = read_sources(texts, unread)
    # Who brings a catalogue of their own need not have the claims of the shipped pairs.
    known = read.known if folder.resolve() == SOURCES else None
    problems = [*read.problems, *_of_lists(known)]
    if problems:
        raise CatalogueError(sorted(problems))
    return read.loaded


def _listed(folder: Path) -> list[Path]:
    mend = "every source would be withdrawn. Name the folder of the *.yaml files, or leave it unset for the shipped one"
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".yaml")
    except OSError as error:
        what = "is no folder" if folder.exists() and not folder.is_dir() else f"cannot be read ({error.strerror})"
        msg = f"BENCHCARD_CATALOGUE: {folder} {what}, and {mend}"
        raise SettingError(msg) from error
    if not found:
        msg = f"BENCHCARD_CATALOGUE: {folder} holds no *.yaml file, and {mend}"
        raise SettingError(msg)
    return found


def _of_lists(known: Known | None) -> Iterator[Problem]:
    texts, unread = read_files((models.FILE, pairs.FILE))
    yield from (item.problem for item in unread)
    for name, text in texts:
        if name == str(models.FILE):
            yield from models.read_models(name, text)[0].problems
        else:
            yield from pairs.read_pairs(name, text, known)[0].problems

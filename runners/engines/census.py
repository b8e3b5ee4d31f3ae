"""What an installed engine says of its own options and environment variables, as a file of the policy's census.

The options come from its `--help`, the variables from the module in which it lists them, which is read and not run.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from typing import TYPE_CHECKING

from app.protocol.policy import census
from runners.engines import install
from runners.engines.environment import Site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.protocol.engines.options import Flags
    from runners.engines.install import Installed

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")


def of_installed(found: Installed) -> str:
    """The text of its file. InstallError: it cannot say its options here, or its list of variables is not there."""
    listing = next(found.folder.glob(f"lib/python3*/site-packages/{found.engine.variables}"), None)
    if listing is None:
        raise install.InstallError(f"{found.engine.title} {found.version} has no {found.engine.variables}")
    return text(found.engine.name, found.version, found.flags(Site()), variables(listing.read_text()))


def variables(source: str) -> list[str]:
    """The names that a module lists as keys of its dictionaries, as fields of a class, or as a field's older name."""
    return sorted({name for name in _names(ast.parse(source)) if _VARIABLE.fullmatch(name)})


def _names(module: ast.Module) -> Iterator[str]:
    for statement in module.body:
        if isinstance(statement, ast.ClassDef):
            yield from _fields(statement)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Dict):
            keys = (key for key in statement.value.keys if isinstance(key, ast.Constant))
            yield from (str(key.value) for key in keys)


def _fields(listed: ast.ClassDef) -> Iterator[str]:
    for statement in listed.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
            older = (word.value for word in statement.value.keywords if word.arg == "deprecated_name")
            yield from (str(value.value) for value in older if isinstance(value, ast.Constant))


def text(engine: str, version: str, flags: Flags, names: list[str]) -> str:
    """A census file: TOML, sorted, so that two versions can be compared line by line."""
    known = sorted({flag.name: flag for flag in flags.values()}.items())
    others = {name: [*flag.names[1:], *flag.short] for name, flag in known}
    lines = [
        f"# Made by `benchcard engine census {engine}=={version}`; do not edit. Names are sorted in {engine}.toml.",
        f"engine = {json.dumps(engine)}",
        f"version = {json.dumps(version)}",
        *_list("switches", [name for name, flag in known if not flag.takes_value]),
        *_list("values", [name for name, flag in known if flag.takes_value]),
        *_list("variables", names),
        *_table("choices", {name: list(flag.choices) for name, flag in known}),
        *_table("others", others),
    ]
    return "\n".join(lines) + "\n"


def _list(name: str, items: list[str]) -> list[str]:
    return [f"{name} = [", *(f"    {json.dumps(item)}," for item in items), "]"]


def _table(name: str, lists: Mapping[str, list[str]]) -> list[str]:
    return ["", f"[{name}]", *(f"{key} = {json.dumps(items)}" for key, items in lists.items() if items)]


def unclassified(written: str) -> list[str]:
    """Names in the text of a census file that nobody has sorted yet."""
    return census.census(tomllib.loads(written)).unclassified()

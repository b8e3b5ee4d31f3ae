"""`make messages`: brings the catalogues up to the texts that code and templates hold.

One line for a text and one for its translation, sorted by the text, and one over a form that is said again: so that
Git merges the catalogues of several people line by line, and a run without changes changes nothing.
"""

from __future__ import annotations

import ast
from io import BytesIO
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from app.locale import CATALOGUE, FOLDER, FORM
from app.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path
    from typing import BinaryIO

    Extracted = tuple[int, str, tuple[str | None, ...], list[str]]

# The functions whose texts are said, with the places of the texts among their arguments.
KEYWORDS = {
    "_": None,
    "gettext": None,  # what Jinja makes of {% trans %}
    "N_": None,
    "F_": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "counted": (2,),
    "named": (2,),
}
METHODS = dict.fromkeys(("app", "runners"), ("**.py", "app.locale.messages:called")) | {
    "templates": ("**.html", "jinja2")
}
# As in app/web/render.py, or a text would not be the one that the page asks for.
OPTIONS = {
    "**.html": {
        "trim_blocks": "true",
        "lstrip_blocks": "true",
        "trimmed": "true",
        "newstyle_gettext": "true",
        "silent": "false",
    }
}
HEADER = """\
# The words of Benchcard's pages. `make messages` adds what is new and takes away what is gone.
msgid ""
msgstr ""
"Language: {code}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {plural};\\n"

"""


def called(file: BinaryIO, keywords: Collection[str], *_: object, **_options: object) -> Iterator[Extracted]:
    """The texts of a Python file, as Babel wants them: also of calls inside an f-string, which Babel does not read."""
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in keywords:
            given = (item.value if isinstance(item, ast.Constant) else None for item in node.args)
            texts = tuple(item if isinstance(item, str) else None for item in given)
            if any(texts):
                yield node.lineno, node.func.id, texts, [FORM] if node.func.id == "F_" else []


def extracted(code: str) -> Catalog:
    """Every text that may be said, untranslated, with as many forms of a plural as the language has."""
    found = Catalog(locale=code)
    for folder, method in METHODS.items():
        for _file, _line, text, comments, context in extract_from_dir(
            ROOT / folder, [method], OPTIONS, keywords=KEYWORDS, directory_filter=lambda _name: True
        ):
            found.add(text, auto_comments=comments, context=context)
    return found


def updated(path: Path) -> str:
    """The catalogue at `path` with exactly the texts that there are and the translations that it has of them."""
    code = path.parts[-3]
    texts = extracted(code)
    with path.open("rb") as file:
        known = read_po(file, locale=code, abort_invalid=True)
    for message in texts:
        old = known.get(message.id, message.context)
        message.flags.clear()
        if old is not None and old.pluralizable is message.pluralizable:
            message.string = old.string
    written = BytesIO()
    write_po(written, texts, width=0, no_location=True, omit_header=True, sort_output=True)
    return HEADER.format(code=code, plural=known.plural_forms.rstrip(";")) + written.getvalue().decode()


def main() -> None:
    for path in sorted(FOLDER.glob(f"*/{CATALOGUE}")):
        path.write_text(updated(path), encoding="utf-8")


if __name__ == "__main__":
    main()

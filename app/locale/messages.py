"""`make messages`: brings the catalogues up to the texts that code and templates hold.

One line for a text and one for its translation, sorted by the text, nothing else: so that Git merges the catalogues of
several people line by line, and a run without changes changes nothing.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from app.locale import CATALOGUE, FOLDER
from app.settings import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# The functions whose texts are said, with the places of the texts among their arguments.
KEYWORDS = {
    "_": None,
    "gettext": None,  # what Jinja makes of {% trans %}
    "N_": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "counted": (2,),
    "named": (2,),
}
METHODS = {"app": ("**.py", "python"), "templates": ("**.html", "jinja2")}
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


def extracted() -> Catalog:
    """Every text that may be said."""
    found = Catalog()
    for folder, method in METHODS.items():
        for _file, _line, text, _comments, context in extract_from_dir(
            ROOT / folder, [method], OPTIONS, keywords=KEYWORDS
        ):
            found.add(text, context=context)
    return found


def updated(path: Path, texts: Catalog) -> str:
    """The catalogue at `path` with exactly these texts and the translations that it has of them."""
    code = path.parts[-3]
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
        path.write_text(updated(path, extracted()), encoding="utf-8")


if __name__ == "__main__":
    main()

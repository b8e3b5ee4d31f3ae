"""Templates and their contexts agree: nothing undefined, nothing unused, every template reached."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re

import pytest
from jinja2 import UndefinedError

import app.web
from app.settings import ROOT
from app.web.contexts import Shell
from app.web.error_contexts import Alert, ErrorPage
from app.web.render import ENVIRONMENT, render, static_url

TEMPLATES = sorted(path.relative_to(ROOT / "templates").as_posix() for path in (ROOT / "templates").rglob("*.html"))


def _contexts() -> list[type]:
    """Every dataclass of the modules that hold a template's context."""
    found: list[type] = []
    for info in pkgutil.walk_packages(app.web.__path__, "app.web."):
        module = importlib.import_module(info.name)
        own = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == info.name]
        own = [value for value in own if dataclasses.is_dataclass(value)]
        found += own if any(hasattr(value, "template") for value in own) else []
    return found


CONTEXTS = _contexts()
MARKUP = "\n".join((ROOT / "templates" / name).read_text() for name in TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_compiles_and_is_used(name: str) -> None:
    ENVIRONMENT.get_template(name)
    named = {context.template for context in CONTEXTS if hasattr(context, "template")}
    assert name in named or f'"{name}"' in MARKUP


@pytest.mark.parametrize("context", CONTEXTS, ids=[context.__name__ for context in CONTEXTS])
def test_a_context_holds_nothing_that_no_template_shows(context: type) -> None:
    unused = [field.name for field in dataclasses.fields(context) if not re.search(rf"\.{field.name}\b", MARKUP)]
    assert not unused


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_page_stands_in_the_frame_and_a_part_does_not(name: str) -> None:
    text = (ROOT / "templates" / name).read_text()
    part = name.rpartition("/")[2].startswith("_") or name.startswith("_") or name == "base.html"
    assert ('{% extends "base.html" %}' in text) is not part


def test_what_a_context_lacks_is_an_error_and_not_a_blank() -> None:
    with pytest.raises(UndefinedError):
        ENVIRONMENT.from_string("{{ page.nothing }}").render(page=Shell("t", "d", "/"))


def test_an_error_page_and_its_alert_say_what_and_how_to_mend() -> None:
    page = ErrorPage(Shell("t", "d", ""), 404, "Nothing here", ("There is no `<b>`.",), (), "b")
    assert "There is no `&lt;b&gt;`." in render(page)
    assert isinstance(page.alert(), Alert)
    assert "Nothing here" in render(page.alert(), "part")


def test_a_static_address_changes_with_the_files_content() -> None:
    assert re.fullmatch(r"/static/css/app\.css\?v=[0-9a-f]{12}", static_url("css/app.css"))


def test_static_files_reach_for_no_other_host() -> None:
    for path in [*(ROOT / "static/css").iterdir(), *(ROOT / "static/js").iterdir()]:
        assert "//" not in re.sub(r"^\s*//.*$|(?<=[;{]) // .*$", "", path.read_text(), flags=re.MULTILINE), path

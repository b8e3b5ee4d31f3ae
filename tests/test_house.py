"""The house rules that a reviewer should not have to remember."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
LISTED = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
).stdout.split()
FILES = [ROOT / name for name in LISTED if (ROOT / name).is_file()]
PYTHON = [path for path in FILES if path.suffix == ".py"]
TEMPLATES = [path for path in FILES if path.suffix == ".html"]


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize("path", PYTHON, ids=names(PYTHON))
def test_python_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 400, "more than 400 lines: two rooms in one"
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [n.name for n in functions if (n.end_lineno or n.lineno) - n.lineno >= 60]
    assert not long, "functions of more than 60 lines"


@pytest.mark.parametrize("path", TEMPLATES, ids=names(TEMPLATES))
def test_templates_hold_no_script_and_trust_no_text(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 150
    assert not re.search(r"\|\s*safe\b", text), "text of sources is shown literally"
    assert not re.search(r"\son[a-z]+=", text), "no inline handlers: the CSP forbids them"
    assert not re.search(r"<script(?![^>]*(?:src=|application/json))", text), "no inline script"
    assert not re.search(r"\sstyle=", text), "no inline style"


def test_only_db_commits() -> None:
    app = [path for path in PYTHON if path.is_relative_to(ROOT / "app") and path.name != "db.py"]
    assert not [str(path) for path in app if ".commit(" in path.read_text()]


def test_only_the_clock_reads_the_time() -> None:
    app = [path for path in PYTHON if path.is_relative_to(ROOT / "app") and path.name != "clock.py"]
    assert not [
        str(path)
        for path in app
        if re.search(r"\b(datetime|dt\.datetime)\.(now|utcnow)\(|\btime\.time\(", path.read_text())
    ]


def test_no_test_sleeps() -> None:
    tests = [path for path in PYTHON if path.is_relative_to(ROOT / "tests") and path != Path(__file__)]
    assert not [str(path) for path in tests if re.search(r"\b(time|asyncio)\.sleep\((?!0\))", path.read_text())]


def test_tables_come_from_migrations_alone() -> None:
    assert not [path for path in PYTHON if "create_" + "all(" in path.read_text()]


def test_vendored_files_are_the_ones_that_were_checked() -> None:
    lines = [line.split() for line in (ROOT / "static/vendor/SHA256SUMS").read_text().splitlines()]
    listed = {name: digest for digest, name in lines}
    found = {
        p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in (ROOT / "static/vendor").iterdir() if p.suffix != ""
    }
    assert found == listed


def test_every_dependency_says_why_it_is_there() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    listed = re.findall(
        r'^    "[A-Za-z0-9_.-]+(?:\[[a-z]+\])?(?:[>=;][^"]*)?",(.*)$', project.split("[tool.", 1)[0], re.MULTILINE
    )
    assert len(listed) > 20
    assert all(re.search(r"# \w+", rest) for rest in listed)


def test_lock_files_pin_every_package_with_hashes() -> None:
    for path in sorted((ROOT / ".ci").glob("requirements*.txt")):
        entries = re.split(r"\n(?=[a-z])", path.read_text())
        packages = [entry for entry in entries if re.match(r"[a-z0-9._-]+==", entry)]
        assert packages, path
        assert all("--hash=sha256:" in entry for entry in packages), path


def test_compose_file_runs_what_a_developer_runs_with_pinned_images_and_no_secret() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert compose["services"]["web"]["command"] == ["make", "run"]
    for name, service in compose["services"].items():
        image, _, tag = service["image"].partition(":")
        assert image, name
        assert re.fullmatch(r"\d+\.\d+(\.\d+)?-[a-z]+", tag), f"{name}: pin the image to one release"
        assert "healthcheck" in service, name
        secrets = {
            key: value for key, value in service.get("environment", {}).items() if "PASSWORD" in key or "SECRET" in key
        }
        assert all(str(value).startswith("${") for value in secrets.values()), name
    named = {volume.split(":")[0] for service in compose["services"].values() for volume in service["volumes"]}
    assert {name for name in named if not name.startswith((".", "/"))} == set(compose["volumes"])


def test_nothing_names_a_machine_or_a_registry() -> None:
    words = ["/wo" + "rk/", "py" + "pi.org", "python" + "hosted.org", "registry.np" + "mjs", "deb.de" + "bian.org"]
    texts = {
        p: p.read_text(errors="ignore")
        for p in FILES
        if p.stat().st_size < 500_000 and p.suffix not in {".png", ".lock"}
    }
    assert not [(str(path), word) for path, text in texts.items() for word in words if word in text]

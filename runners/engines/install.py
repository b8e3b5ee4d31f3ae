"""An exact version of an engine in an environment of its own, outside the checkout, found again by what it holds.

The packages come from the machine's own package index and pip settings. An environment is complete when its
`installed.json` is there; nothing is installed into it afterwards.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from app.protocol.engines import ENGINES, start
from runners import gpu
from runners.engines import environment, helptext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.protocol.engines.options import Flags
    from app.protocol.engines.table import Device, Engine
    from runners.engines.environment import Site

PINS = Path(__file__).parent / "pins"
HELP_S = 300.0
_DONE = "installed.json"


class InstallError(Exception):
    """No such engine or build, or pip could not install it."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A complete environment."""

    engine: Engine
    version: str
    device: Device
    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def flags(self, site: Site) -> Flags:
        """Those of this version's own `--help`, asked once. InstallError: it cannot even say that here."""
        kept = self.folder / "help.txt"
        if not kept.exists():
            kept.write_text(self._help(site))
        return helptext.flags(kept.read_text())

    def _help(self, site: Site) -> str:
        command = [str(self.python), "-m", *self.engine.module, *self.engine.help]
        with tempfile.TemporaryDirectory(prefix="benchcard-") as scratch:
            places = environment.given(site, self.python.parent, Path(scratch))
            env = start.filled(start.variables(self.engine, self.device, {}), places)
            done = subprocess.run(  # noqa: S603 - a fixed command of the table
                command, env=env, cwd=scratch, capture_output=True, text=True, timeout=HELP_S, check=False
            )
        if done.returncode or not helptext.flags(done.stdout):
            said = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
            raise InstallError(f"{self.engine.title} {self.version} cannot run here: {said[-1]}")
        return done.stdout


def root() -> Path:
    """Where the environments are."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "benchcard" / "engines"


def builds() -> list[str]:
    """The builds whose every package is pinned: `vllm-0.32.0-cpu`."""
    return sorted(path.stem for path in PINS.glob("*.txt"))


def listed() -> list[Installed]:
    """All complete environments."""
    found = []
    for done in sorted(root().glob(f"*/{_DONE}")):
        said = json.loads(done.read_text())
        if said["engine"] in ENGINES:
            found.append(Installed(ENGINES[said["engine"]], said["version"], said["device"], done.parent))
    return found


def install(wanted: str, device: Device | None, pins: Path | None, say: Callable[[str], None]) -> Installed:
    """`ENGINE==VERSION`, for the GPU where there is one. InstallError says what is missing."""
    engine, version = _read(wanted)
    device = device or ("cuda" if gpu.used_mib() else "cpu")
    requirements, pinned = _requirements(engine, version, device, pins)
    said = "\n".join([platform.python_version(), platform.machine(), requirements])
    key = hashlib.sha256(said.encode()).hexdigest()[:16]
    found = Installed(engine, version, device, root() / f"{engine.name}-{version}-{device}-{key}")
    with _alone(found.folder):
        if not (found.folder / _DONE).exists():
            say(f"installing {engine.title} {version} for {device} into {found.folder}")
            _fill(found, requirements, pinned=pinned)
    return found


def _read(wanted: str) -> tuple[Engine, str]:
    name, _, version = wanted.partition("==")
    if (
        name not in ENGINES
        or not version
        or not version[0].isdigit()
        or not all(c.isalnum() or c in ".+" for c in version)
    ):
        raise InstallError(f"{wanted}: an engine and an exact version are needed, {' or '.join(ENGINES)}==VERSION")
    return ENGINES[name], version


def _requirements(engine: Engine, version: str, device: Device, pins: Path | None) -> tuple[str, bool]:
    """The text of a requirements file, and whether it names every package."""
    shipped = PINS / f"{engine.name}-{version}-{device}.txt"
    if pins is not None or shipped.exists():
        try:
            return (pins or shipped).read_text(), True
        except OSError as error:
            raise InstallError(str(error)) from error
    if device == "cpu":
        known = ", ".join(builds())
        raise InstallError(
            f"no CPU build of {engine.title} {version} is known (known: {known}); name its packages with --pins FILE"
        )
    return f"{engine.package}=={version}\n", False


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One installation of an environment at a time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fill(found: Installed, requirements: str, *, pinned: bool) -> None:
    shutil.rmtree(found.folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(found.folder)])  # with pip: vLLM tells its configuration by what pip lists
    listing = found.folder / "requirements.txt"
    listing.write_text(requirements)
    pip = [sys.executable, "-m", "pip", "--python", str(found.python), "--quiet", "--disable-pip-version-check"]
    _run([*pip, "install", "--no-compile", *(["--no-deps"] if pinned else []), "-r", str(listing)])
    _name(found)
    packages = _run([*pip, "freeze", "--all"]).splitlines()
    said = {"engine": found.engine.name, "version": found.version, "device": found.device, "packages": packages}
    (found.folder / _DONE).write_text(json.dumps(said, indent=1))


def _name(found: Installed) -> None:
    """A repackaged build has another name than the one under which the engine looks for its own version."""
    folders = _run([str(found.python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"])
    site = Path(folders.strip())
    package = found.engine.package
    if any(site.glob(f"{package}-*.dist-info")):
        return
    described = site / f"{package}-{found.version}+{found.device}.dist-info"
    described.mkdir()
    text = f"Metadata-Version: 2.1\nName: {package}\nVersion: {found.version}+{found.device}\n"
    (described / "METADATA").write_text(text)


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - argv items, no shell
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if not line.startswith("WARNING")]
        raise InstallError(f"{' '.join(command[:5])} ...: " + "\n".join(said[-5:] or ["failed"]))
    return done.stdout


def packages(found: Installed) -> list[str]:
    """`name==version` of everything in it."""
    said: dict[str, Any] = json.loads((found.folder / _DONE).read_text())
    return cast("list[str]", said["packages"])

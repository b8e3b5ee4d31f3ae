"""The commands `engine install`, `engine list` and `engine census`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from app.protocol.policy.advisories import advisories
from runners.engines import census, install
from runners.engines.environment import Site
from runners.gpu import GpuError

if TYPE_CHECKING:
    import argparse


def run_install(given: argparse.Namespace) -> int:
    """Install and say what was found; 1 where it is not to be had."""
    try:
        found = install.install(given.engine, given.device, given.pins, _say)
    except (install.InstallError, GpuError) as error:
        _say(str(error))
        return 1
    try:
        number = len({flag.name for flag in found.flags(Site()).values()})
    except install.InstallError as error:  # complete all the same: what is missing may come from the site's own modules
        _say(f"note: {error}")
    else:
        _say(f"its --help names {number} flags")
    for item in advisories(found.engine.name, found.version):
        _say(f"warning: {item.told}")
    sys.stdout.write(f"{found.folder}\n")
    return 0


def run_list(_: argparse.Namespace) -> int:
    """Every environment, and the builds that could be installed with every package pinned."""
    found = install.listed()
    for item in found:
        warned = ", ".join(known.reference for known in advisories(item.engine.name, item.version))
        tail = f"  ({warned})" if warned else ""
        sys.stdout.write(f"{item.engine.name}=={item.version}  {item.device}  {item.folder}{tail}\n")
    if not found:
        sys.stdout.write("none is installed\n")
    sys.stdout.write(f"pinned builds: {', '.join(install.builds())}\n")
    return 0


def run_census(given: argparse.Namespace) -> int:
    """Write the census file of an installed version; 1 where it has names that nobody has sorted."""
    found = next((item for item in install.listed() if f"{item.engine.name}=={item.version}" == given.engine), None)
    try:
        if found is None:
            raise install.InstallError(f"{given.engine} is not installed; install it with `benchcard engine install`")
        written = census.of_installed(found)
    except install.InstallError as error:
        _say(str(error))
        return 1
    sys.stdout.write(written)
    missing = census.unclassified(written)
    for name in missing:
        _say(f"not classified: {name}")
    return 1 if missing else 0


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()

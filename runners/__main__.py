"""`python -m runners measure|trace|engine|runner ...`, where the runner's side stands alone."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from runners import arguments

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m runners", description="Benchcard's load client.")
    arguments.add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    parsed = parser.parse_args(given)
    return int(parsed.run(parsed))


if __name__ == "__main__":
    sys.exit(main())

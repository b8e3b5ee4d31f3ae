"""The commands `measure` and `trace`: parsed arguments -> printed result and exit status."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from runners import loads, report, sweep_report
from runners.engines.control import HungError
from runners.load import trace_file
from runners.load.tools import TOOLS
from runners.measure import MeasureError, Result, measure
from runners.sweep import sweep

if TYPE_CHECKING:
    import argparse
    from types import ModuleType

INTERRUPTED = 130  # as a shell tells of SIGINT
NOT_VALID = 3  # exit status of a measurement that is no result


def run_measure(given: argparse.Namespace) -> int:
    """Measure and print; 3 where the run is no result, 1 where nothing could be measured, 2 for a wrong argument, 130
    after an interrupt."""
    try:
        points = loads.points(given)
        found = measure(points[0], _say) if len(points) == 1 else sweep(points, _say)
    except ValueError as error:
        _say(str(error))
        return 2
    except (MeasureError, HungError) as error:
        _say(str(error))
        return 1
    except KeyboardInterrupt:
        _say("interrupted: no result")
        return INTERRUPTED
    shown: ModuleType = report if isinstance(found, Result) else sweep_report
    _print(json.dumps(shown.as_json(found), allow_nan=False) if given.json else shown.as_text(found))
    return 0 if found.valid else NOT_VALID


def run_trace(given: argparse.Namespace) -> int:
    """Print what a trace says; 2 for a file that is none, or an unknown tool."""
    if given.tool is not None and given.tool not in TOOLS:
        _say(f"{given.tool} is no tool that Benchcard knows: {', '.join(TOOLS)}")
        return 2
    try:
        found = trace_file.read(given.file)
    except (OSError, trace_file.TraceError) as error:
        _say(str(error))
        return 2
    asked = report.trace_json if given.json else report.trace_text
    said = asked(found, given.tool)
    _print(said if isinstance(said, str) else json.dumps(said, allow_nan=False))
    return 0


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")

"""The commands `measure` and `trace`: parsed arguments -> printed result and exit status."""

from __future__ import annotations

import json
import os
import secrets
import sys
from typing import TYPE_CHECKING

from runners import arguments, report
from runners.load import trace_file
from runners.load.plan import Workload
from runners.load.prompts import COMMON, LOWEST, Vocabulary
from runners.load.schedule import Closed
from runners.load.tools import TOOLS
from runners.measure import MeasureError, Options, measure

if TYPE_CHECKING:
    import argparse

NOT_VALID = 3  # exit status of a measurement that is no result


def run_measure(given: argparse.Namespace) -> int:
    """Measure and print; 3 where the run is no result, 1 where nothing could be measured, 2 for a wrong argument."""
    try:
        result = measure(_options(given), _say)
    except ValueError as error:
        _say(str(error))
        return 2
    except MeasureError as error:
        _say(str(error))
        return 1
    _print(json.dumps(report.as_json(result), allow_nan=False) if given.json else report.as_text(result))
    return 0 if result.valid else NOT_VALID


def _options(given: argparse.Namespace) -> Options:
    return Options(
        url=given.url,
        model=given.model,
        workload=Workload(given.input_tokens, given.output_tokens),
        load=Closed(given.concurrency),
        requests=given.requests,
        runs=given.runs,
        processes=given.processes,
        vocabulary=Vocabulary(LOWEST, given.vocabulary) if given.vocabulary else COMMON,
        api_key=os.environ.get(arguments.API_KEY),
        timeout_s=given.timeout,
        traces=given.trace,
        observer_check=given.observer_check,
        metrics_url=given.metrics_url,
        flush_cache=given.flush_cache,
        seed=secrets.randbelow(2**32) if given.seed is None else given.seed,
    )


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

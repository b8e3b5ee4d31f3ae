"""The arguments of `measure`, `trace`, `engine`, `runner`, for both programs that have them. Imports nothing heavy."""

from __future__ import annotations

from argparse import ArgumentTypeError
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

N = TypeVar("N", int, float)

API_KEY = "BENCHCARD_API_KEY"  # environment variable with the server's key: an argument would show in the process list


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to a parser; each sets `run`: parsed arguments -> exit status, further ones ignored."""
    _add_measure(commands.add_parser("measure", help=f"measure an OpenAI-compatible server (its key in {API_KEY})"))
    trace = commands.add_parser("trace", help="print the numbers of a trace")
    trace.add_argument("file", type=Path, metavar="FILE")
    trace.add_argument("--as", dest="tool", metavar="TOOL", help="under that tool's definitions")
    trace.add_argument("--json", action="store_true", help="print JSON")
    trace.set_defaults(run=_command("runners.commands", "run_trace"))
    _add_engine(commands.add_parser("engine", help="the engines that this machine can start"))
    _add_runner(commands.add_parser("runner", help="take jobs from a server and execute them on this machine"))


def _add_measure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL")
    parser.add_argument("--model", required=True)
    parser.add_argument("--input-tokens", type=int, required=True, metavar="N")
    parser.add_argument("--output-tokens", type=int, required=True, metavar="N")
    _add_loads(parser)
    parser.add_argument(
        "--requests", type=_whole_numbers, required=True, metavar="R", help="requests a run; with --sessions: sessions"
    )
    parser.add_argument("--runs", type=int, default=1, metavar="K", help="repeats (1)")
    parser.add_argument("--processes", type=int, default=1, metavar="P", help="client processes (1)")
    parser.add_argument("--seed", type=int, help="of the prompts; one that was used before finds the cache warm")
    parser.add_argument("--vocabulary", type=int, metavar="N", help="token ids of prompts are below N (2000)")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="S", help="seconds for one request (600)")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write the trace of each run as Parquet")
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument(
        "--observer-check", action="store_true", help="also run without exact counting, to see what it costs"
    )
    asked.add_argument(
        "--usage-at-end", action="store_true", help="ask for token counts once a request, not with each event"
    )
    parser.add_argument(
        "--metrics-url", metavar="URL", help="the server's own counters, its referee (its /metrics, where it has one)"
    )
    parser.add_argument("--flush-cache", action="store_true", help="have the server empty its prefix cache before runs")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_command("runners.commands", "run_measure"))


def _add_loads(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "load (one of these three)",
        "Several values with commas (--concurrency 1,4,16) are a sweep: every point is warmed up, then the repeats "
        "take turns. --requests then takes one number for all points or one for each.",
    )
    shape = group.add_mutually_exclusive_group(required=True)
    shape.add_argument(
        "--concurrency", type=_whole_numbers, metavar="C", help="closed loop: C in flight, the next when one has ended"
    )
    shape.add_argument(
        "--rate", type=_decimals, metavar="R", help="open loop: R requests a second, whether or not others have ended"
    )
    shape.add_argument(
        "--sessions", type=_whole_numbers, metavar="S", help="S conversations at a time, each of --turns requests"
    )
    group.add_argument(
        "--arrivals", choices=["constant", "poisson", "gamma"], help="with --rate: gaps between requests (poisson)"
    )
    group.add_argument(
        "--burstiness",
        type=float,
        metavar="B",
        help="with --arrivals gamma: below 1 burstier than poisson, above more even",
    )
    group.add_argument(
        "--turns", type=int, metavar="T", help="with --sessions: each turn brings --input-tokens after all before it"
    )
    group.add_argument(
        "--prefix-tokens", type=int, metavar="N", help="with --sessions: tokens that all of them begin with (0)"
    )
    group.add_argument("--think", type=float, metavar="S", help="with --sessions: seconds between turns (0)")


def _whole_numbers(text: str) -> list[int]:
    return _listed(text, int, "a whole number, or several with commas between them")


def _decimals(text: str) -> list[float]:
    return _listed(text, float, "a number, or several with commas between them")


def _listed(text: str, read: Callable[[str], N], wanted: str) -> list[N]:
    """The values of a list with commas. argparse prints what is wrong."""
    try:
        return [read(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not {wanted}") from None


def _add_engine(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    install = actions.add_parser("install", help="an exact version into an environment of its own")
    install.add_argument("engine", metavar="ENGINE==VERSION", help="vllm==... or sglang==...")
    install.add_argument("--device", choices=["cpu", "cuda"], help="the build (cuda where there is a GPU)")
    install.add_argument("--pins", type=Path, metavar="FILE", help="all its packages, as a requirements file")
    install.set_defaults(run=_command("runners.engines.commands", "run_install"))
    listing = actions.add_parser("list", help="what is installed")
    listing.set_defaults(run=_command("runners.engines.commands", "run_list"))
    census = actions.add_parser("census", help="the options of an installed version, as a file of what may run")
    census.add_argument("engine", metavar="ENGINE==VERSION", help="as `engine list` names it")
    census.set_defaults(run=_command("runners.engines.commands", "run_census"))


_CONFIG = (
    "TOML: name, server, token_file (or token_env, BENCHCARD_RUNNER_TOKEN), data, tables [policy] and [site]; "
    "README.md has one for a laptop"
)


def _add_runner(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    start = actions.add_parser(
        "start", help="until it is stopped: SIGTERM or Ctrl-C ends it after its job, a second one with it"
    )
    start.add_argument(
        "--while-input-is-open", action="store_true", help="end at once, with its job, when standard input closes"
    )
    start.set_defaults(run=_command("runners.start", "run_start"))
    clear = actions.add_parser("clear-quarantine", help="let it measure again, once its machine was looked at")
    clear.set_defaults(run=_command("runners.start", "run_clear"))
    for action in (start, clear):
        action.add_argument("--config", type=Path, required=True, metavar="FILE", help=_CONFIG)


def _command(module: str, name: str) -> Callable[..., int]:
    """The command of that name, whose module is loaded when it is run: it may bring numpy and pyarrow."""

    def run(given: argparse.Namespace, *_: object) -> int:
        return int(getattr(import_module(module), name)(given))

    return run

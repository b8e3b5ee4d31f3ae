"""`benchcard job`: ask for measurements, look at them, end them, approve what they would execute."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.api.job_schema import JobListQuery, SubmitJob
from app.commands.exits import FOUND, HELP, OK, USAGE
from app.commands.server import options, towards_server
from app.errors import InvalidInputError
from app.jobs.states import STATES
from app.json_tree import twice
from app.protocol.english import refusal
from app.protocol.plan import Plan
from app.protocol.reasons import ended, failed

if TYPE_CHECKING:
    import argparse

    from app.api.job_schema import JobDetail, JobItem
    from app.client import Client


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    job = commands.add_parser("job", help="measurements on real engines", epilog=HELP).add_subparsers(
        required=True, metavar="ACTION"
    )
    submit = job.add_parser("submit", help="ask for a measurement", parents=[options()], epilog=HELP)
    wanted = submit.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--claim", metavar="ID", help="the claim to reproduce")
    wanted.add_argument("--card", metavar="ID", help="the card to measure again")
    wanted.add_argument("--plan", type=Path, metavar="FILE", help="a plan as JSON")
    submit.add_argument("--accelerator", metavar="GPU", help="run on this kind of GPU only")
    priority = SubmitJob.model_fields["priority"].description
    submit.add_argument("--priority", type=int, metavar="N", default=0, help=f"{priority} (0)")
    submit.set_defaults(run=towards_server(_submit))
    listed = job.add_parser("list", help="jobs, the newest first", parents=[options()], epilog=HELP)
    listed.add_argument("--state", action="append", default=[], choices=STATES, help="may be given several times")
    listed.add_argument("--limit", type=int, default=50, help="at most this many, 1 to 500")
    listed.add_argument("--json", action="store_true", help="the API's list: items, total, next")
    listed.set_defaults(run=towards_server(_list))
    for name, action, text in (
        ("show", _show, "one job with its attempts, and why no runner takes it while it waits"),
        ("cancel", _cancel, "end a job; where a runner has it, that one is told within 15 s"),
        ("approve", _approve, "allow what a job would start, for seven days"),
        ("log", _log, "print what the newest attempt has logged so far"),
    ):
        parser = job.add_parser(name, help=text, parents=[options()], epilog=HELP)
        parser.add_argument("id", metavar="ID")
        if name == "show":
            parser.add_argument("--json", action="store_true", help="all that the API says of it")
        parser.set_defaults(run=towards_server(action))


def _submit(given: argparse.Namespace, client: Client) -> int:
    try:
        plan = _plan(given.plan) if given.plan else None
    except OSError as error:
        print(f"{given.plan}: {error.strerror}", file=sys.stderr)
        return USAGE
    except InvalidInputError as error:
        print(error.message, file=sys.stderr)
        return FOUND
    named = {"card_id": given.card, "claim_id": given.claim, "accelerator": given.accelerator}
    try:
        wanted = SubmitJob(plan=plan, priority=given.priority, **named)
    except ValidationError as error:
        for item in error.errors():
            option = str(item["loc"][0]).removesuffix("_id")
            print(f"benchcard job submit: --{option}: {refusal(item)}", file=sys.stderr)
        return USAGE
    _tell(client.submit_job(wanted), client)
    return OK


def _plan(file: Path) -> Plan:
    """Raises OSError, and InvalidInputError with every problem of the plan, one a line."""
    text = file.read_bytes()
    if (key := twice(text)) is not None:
        raise InvalidInputError(f"{file}: the key `{key[:80]}` stands twice; keep one")
    try:
        return Plan.model_validate_json(text)
    except ValidationError as error:
        found = (f"{file}: {'.'.join(map(str, item['loc']))}: {refusal(item)}" for item in error.errors())
        raise InvalidInputError("\n".join(found)) from None


def _list(given: argparse.Namespace, client: Client) -> int:
    try:
        query = JobListQuery(state=given.state, limit=given.limit)
    except ValidationError as error:
        print(f"benchcard job list: --limit: {refusal(error.errors()[0])}", file=sys.stderr)
        return USAGE
    page = client.jobs(query)
    if given.json:
        print(page.model_dump_json(indent=2))
        return OK
    for job in page.items:
        print(_line(job))
    print(f"{len(page.items)} of {page.total}", file=sys.stderr)
    return OK


def _show(given: argparse.Namespace, client: Client) -> int:
    job = client.job(given.id)
    if given.json:
        print(job.model_dump_json(indent=2))
    else:
        _tell(job, client)
    return OK


def _cancel(given: argparse.Namespace, client: Client) -> int:
    _tell(client.cancel_job(given.id), client)
    return OK


def _approve(given: argparse.Namespace, client: Client) -> int:
    """What is approved is printed, byte for byte."""
    job = client.approve_job(given.id)
    for item in job.launches:
        if item.approval:
            print(f"{item.digest} {item.approval.launch}")
    _tell(job, client)
    return OK


def _log(given: argparse.Namespace, client: Client) -> int:
    for piece in client.job_log(given.id):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    return OK


def _tell(job: JobDetail, client: Client) -> None:
    print(_line(job))
    if job.state == "awaiting_approval":
        at = f"{client.address}/jobs/{job.id}/approval"
        print(f"  no runner gets it before a maintainer has approved it: at {at}, or `benchcard job approve {job.id}`")
        for item in job.launches:
            for part in item.decision.items if item.approval is None else ():
                if part.level != "allow":
                    print(f"  to approve: {part.name}: {part.reason}")
    for tried in job.tries:
        how = f" ({failed(tried.failure)})" if tried.failure else ""
        print(f"  attempt {tried.number} on {tried.runner}: {tried.state}{how}")
    for runner, reasons in job.lacking.items():
        for reason in reasons:
            print(f"  not on {runner}: {reason}")


def _line(job: JobItem) -> str:
    of = job.claim_id or job.card_id or "a plan"
    steps = f" {job.done}/{job.total}" if job.total else ""
    where = f"on {job.runner}" if job.runner else "no runner"
    why = ended(job.failure, job.message) if job.failure else ""
    return "\t".join((job.id, f"{_state(job)}{steps}", job.kind, of, where, *([why] if why else [])))


def _state(job: JobItem) -> str:
    empty = job.state == "succeeded" and job.usable == 0
    return "ended without a usable run" if empty else job.state.replace("_", " ")

"""How an attempt ended, and what it found: the file `report.json` beside the traces of its runs.

The report says what was started and which trace is which run. It holds no metric: the app computes those from the
traces, so that a number and its evidence cannot differ.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from app.protocol.plan import BenchTool, Plan, SideName
from app.protocol.wire import Count, Name, Seconds, Tally, Text, Wire, plain

REPORT = "report.json"  # the name of the part
MachineFailure = Literal[
    "port_in_use", "runner_lost", "runner_stopped", "gpu_not_free", "disk_full", "supervisor_lost",
]  # fmt: skip
Refusal = Literal["not_allowed", "not_here"]
RecipeFailure = Literal[
    "bad_flag", "out_of_memory", "model_missing", "cannot_run_here", "not_ready", "died_starting",
    "died_at_request", "died_running", "no_answer", "hung", "wall_limit", "runner_error",
]  # fmt: skip
Failure = Literal[MachineFailure, Refusal, RecipeFailure]
MACHINE_FAILURES: tuple[MachineFailure, ...] = get_args(MachineFailure)
REFUSALS: tuple[Refusal, ...] = get_args(Refusal)
RECIPE_FAILURES: tuple[RecipeFailure, ...] = get_args(RecipeFailure)


class Outcome(Wire):
    """`succeeded` says that all was executed; whether its runs are results, each of them says for itself."""

    state: Literal["succeeded", "failed", "cancelled"]
    failure: Failure | None = None
    message: Text = ""

    @model_validator(mode="after")
    def _failed_with_a_class(self) -> Self:
        if (self.state == "failed") != (self.failure is not None):
            raise ValueError("a failed outcome has a failure class, another one has none")
        return self

    @property
    def refused(self) -> bool:
        """Whether that runner cannot take the job at all, and another one may."""
        return self.failure in REFUSALS

    @property
    def of_the_machine(self) -> bool:
        """Whether another try elsewhere can end otherwise: the recipe was not at fault."""
        return self.failure in MACHINE_FAILURES


class MeasuredGpu(Wire):
    name: Text
    memory_mib: Tally
    driver: Text | None = None
    sm_clock_mhz: Tally | None = None  # as read when the attempt began, before any load
    memory_clock_mhz: Tally | None = None
    power_limit_w: Annotated[float, Field(ge=0)] | None = None


class Machine(Wire):
    """Where it ran."""

    runner: Name
    benchcard: Text  # version, and commit where it is known
    system: Text
    processor: Text
    cpus: Tally
    memory_mib: Tally
    gpus: tuple[MeasuredGpu, ...] = ()


class Freed(Wire):
    """The proof that nothing of a server was left: GPU memory in MiB before its start and after its end."""

    exit_code: int | None
    survivors: tuple[int, ...] = ()
    gpu_before_mib: tuple[Tally, ...] | None = None
    gpu_after_mib: tuple[Tally, ...] | None = None


Word = Annotated[str, StringConstraints(max_length=100_000), AfterValidator(plain)]  # of a command line


class ModelFiles(Wire):
    """What a model in the runner's own store is made of: the fingerprint of its files, the digest of its config.json,
    and the sizes that this states (`vocab_size`, `num_hidden_layers`, ...), which tell a shape that was changed."""

    fingerprint: Text
    config_sha256: Text
    shape: Annotated[dict[Name, Tally], Field(max_length=50)]


class SideReport(Wire):
    """One server as it was started. The API key in `argv` is shown as `***`; an attached server has no argv."""

    side: SideName
    argv: Annotated[tuple[Word, ...], Field(max_length=1000)] | None = None
    env: Annotated[dict[Word, Word], Field(max_length=1000)] | None = None
    model: ModelFiles | None = None  # None where its files are not in the runner's store
    engine_version: Text | None = None  # as the server said
    server_info: dict[str, Any] | None = None
    ready_s: Seconds | None = None
    freed: Freed | None = None
    notes: tuple[Text, ...] = ()


Cores = Annotated[tuple[Annotated[float, Field(ge=0, le=10**5)], ...], Field(max_length=100_000)]  # second by second


class RunReport(Wire):
    """One repeat of one point. `reasons` say why it is no result; `referee` is its account by the server's counters.

    `server_cores`: for each second, how many processor cores the busiest process of the server used.
    """

    side: SideName
    point: Tally  # place in the plan's points, from 0
    repeat: Count
    trace: Name  # the part that holds it
    reasons: tuple[Text, ...] = ()
    referee: dict[str, Any] | None = None
    server_cores: Cores = ()


class ToolRun(Wire):
    """One repeat of one point by another load tool on the same server, of as many requests.

    `result` is the part with what it wrote, None where it wrote nothing. `reasons`: why there is nothing to compare.
    `tool_cores`: for each second since its start, the cores that it used itself, all its processes together.
    """

    point: Tally
    repeat: Count
    tool: BenchTool
    version: Text
    argv: tuple[Text, ...]
    result: Name | None
    reasons: tuple[Text, ...] = ()
    referee: dict[str, Any] | None = None
    tool_cores: Cores = ()
    server_cores: Cores = ()


class Report(Wire):
    """All of it. Runs stand in the order in which they were made, and so do those of other tools."""

    format: Literal[1] = 1
    plan: Plan
    machine: Machine
    sides: tuple[SideReport, ...]
    runs: tuple[RunReport, ...]
    tool_runs: tuple[ToolRun, ...] = ()
    notes: tuple[Text, ...] = ()

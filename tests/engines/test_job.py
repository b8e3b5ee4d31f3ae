"""A job on a laptop: submitted, approved, taken by a runner, executed on the real vLLM on the CPU, and measured."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from app.protocol.launch import FlagValue, Launch
from app.protocol.outcome import Report
from app.protocol.plan import Plan, Point, Side, Workload
from tests.engines import stories
from tests.runners import whole
from tests.runners.engines.texts import VERSIONS

if TYPE_CHECKING:
    from pathlib import Path

FLAGS: dict[str, FlagValue] = {
    "dtype": "float32", "max-model-len": 2048, "max-num-seqs": 16, "enforce-eager": True,
    "kv-cache-memory-bytes": 1 << 26, "block-size": 32,
}  # fmt: skip


def plan() -> Plan:
    launch = Launch(
        engine="vllm", version=VERSIONS["vllm"], model="tiny-qwen3", weights="dummy", gpus=0, flags=FLAGS,
        env=stories.ENVIRONMENT,
    )  # fmt: skip
    return Plan(
        kind="sweep",
        sides=(Side(name="a", label="", launch=launch),),
        workload=Workload(input_tokens=64, output_tokens=16, seed=3, prefix_cache="cleared"),
        points=(Point(concurrency=1, requests=2), Point(concurrency=2, requests=4)),
        repeats=2,
        wall_s=900.0,
    )


def written(folder: Path, app: whole.App, more: str = "") -> Path:
    (folder / "token").write_text(app.tokens["runner"])
    file = folder / "runner.toml"
    file.write_text(f"""
        name = "laptop"
        server = "{app.url}"
        token_file = "token"
        data = "runner"
        [policy]
        approved = true
        [site]
        models = "models"
        {more}
    """)
    return file


def store(model: Path, folder: Path) -> None:
    """The model in the runner's own store, without its weights: they are random all the same."""
    shutil.copytree(model, folder / "models" / "tiny-qwen3")
    (folder / "models" / "tiny-qwen3" / "model.safetensors").unlink()


def test_a_job_is_executed_on_a_real_engine_and_its_numbers_are_there(model: Path, tmp_path: Path) -> None:
    stories.installed("vllm")
    store(model, tmp_path)
    with whole.served(tmp_path / "data") as app, whole.runner(written(tmp_path, app)):
        job = app.submit(plan())
        done = app.wait(job, whole.ended, 600)
        log = app.ask("GET", f"/jobs/{job}/log?offset=0", "submit").decode()
        assert (done["state"], done["failure"]) == ("succeeded", None), log
        measured = app.ask("GET", f"/measurements/{done['measurement_id']}", "submit")
    report = Report.model_validate_json(json.dumps(measured["report"]))
    assert report.sides[0].engine_version == VERSIONS["vllm"]
    assert "its weights are random numbers in the model's shape, not the model's" in report.sides[0].notes
    assert [(run.point, run.repeat) for run in report.runs] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert report.sides[0].freed is not None
    assert report.sides[0].freed.survivors == ()
    rules = {reason.partition(":")[0] for run in report.runs for reason in run.reasons}
    assert rules <= {"lagging_client", "tokens_at_once"}  # client and server share few cores
    assert "[a] " in log
    assert app.tokens["runner"] not in log


def test_vllms_own_tool_measures_its_server_by_turns_and_counts_what_the_server_counts(
    model: Path, tmp_path: Path
) -> None:
    python = stories.installed("vllm").python
    store(model, tmp_path)
    points = (Point(concurrency=2, requests=4),)
    wanted = plan().model_copy(update={"kind": "agreement", "tools": ("vllm_bench",), "points": points})
    config = f"""[site.tools]
        vllm_bench = "{python}"
    """
    with whole.served(tmp_path / "data") as app, whole.runner(written(tmp_path, app, config)):
        job = app.submit(wanted)
        done = app.wait(job, whole.ended, 900)
        log = app.ask("GET", f"/jobs/{job}/log?offset=0", "submit").decode()
        assert (done["state"], done["failure"]) == ("succeeded", None), log
        measured = app.ask("GET", f"/measurements/{done['measurement_id']}", "submit")
    (held,) = measured["numbers"]["agreement"]
    theirs = held["clients"][1]
    assert theirs["client"] == "vllm_bench"
    assert theirs["version"].partition("+")[0] == VERSIONS["vllm"]
    assert [run["reasons"] for run in theirs["runs"]] == [[], []]
    assert [run["requests"] for run in theirs["runs"]] == [4, 4]
    assert theirs["apart"]["output_tokens"] == 0.0
    assert None not in theirs["apart"].values()
    assert app.tokens["runner"] not in log

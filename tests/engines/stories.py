"""One server at a time is started, measured and stopped; tests then look at what came of it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from app.protocol.engines.recipe import Recipe, Speculation
from runners import measure, report
from runners.engines import install
from runners.engines.environment import Site
from runners.engines.server import Server
from runners.load.plan import Workload
from runners.load.schedule import Closed
from runners.measure import Options
from tests.runners.engines.texts import VERSIONS
from tests.runners.load.test_measure import PATIENT, silent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.protocol.engines.recipe import Value
    from runners.engines.counters import Counters
    from runners.engines.install import Installed
    from runners.engines.server import Freed, Known

HERE = Path(__file__).parent
SITES = {"vllm": Site(), "sglang": Site(modules=(HERE / "sglang_cpu",))}
READY_S = 600.0
DRAFTS = 4
SPECULATION = {
    "vllm": Speculation("ngram", DRAFTS, {"prompt_lookup_max": 3, "prompt_lookup_min": 1}),
    "sglang": Speculation("ngram", DRAFTS, {"ngram-capacity": 100000}),
}
SETTINGS: dict[str, Value] = {"dtype": "float32", "context_tokens": 2048, "max_requests": 16}
FLAGS: dict[str, dict[str, Value]] = {
    "vllm": {"enforce-eager": True, "kv-cache-memory-bytes": 1 << 26, "block-size": 32},
    "sglang": {"max-total-tokens": 1 << 14, "disable-overlap-schedule": True, "skip-server-warmup": True},
}
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}  # threads that wait for each other on a busy machine cost more than they bring
SHAPE = Workload(input_tokens=64, output_tokens=64)
REQUESTS = 6


@dataclass(frozen=True)
class Story:
    """What came of one server. `outputs` are the digests of the token ids of the cold run, request by request."""

    known: Known
    cold: dict[str, Any]
    outputs: list[str | None]
    warm: dict[str, Any]
    cleared: dict[str, Any]
    counters: Counters
    freed: Freed


def installed(engine: str) -> Installed:
    """The pinned CPU build, installed where it is not yet."""
    return install.install(f"{engine}=={VERSIONS[engine]}", "cpu", None, silent)


def tiny(folder: Path) -> Path:
    """The tiny model, made by an engine's own libraries."""
    python = installed("vllm").python
    subprocess.run([str(python), str(HERE / "tiny_model.py"), str(folder)], check=True)
    return folder


def serve(
    engine: str,
    model: Path,
    folder: Path,
    speculation: Speculation | None = None,
    flags: Mapping[str, Value] = MappingProxyType({}),
) -> Server:
    """A server that starts."""
    recipe = Recipe(
        engine, VERSIONS[engine], str(model), SETTINGS, speculation, {**FLAGS[engine], **flags}, ENVIRONMENT
    )
    folder.mkdir(parents=True, exist_ok=True)
    return Server(installed(engine), recipe, folder, SITES[engine])


def asked(server: Server, **changes: Any) -> Options:
    given: dict[str, Any] = {"requests": REQUESTS, "seed": 11, "limits": PATIENT} | changes
    return Options(server.url, server.own.served_name, SHAPE, Closed(2), api_key=server.own.api_key, **given)


def tell(engine: str, model: Path, folder: Path, speculation: Speculation | None) -> Story:
    """Start; measure cold, the same prompts again, and once more after a flush; stop."""
    with serve(engine, model, folder, speculation) as server:
        known = server.wait_ready(READY_S)
        runs = [measure.measure(asked(server, flush_cache=flush), silent) for flush in (True, False, True)]
        server.check("running")
        counters = server.scrape()
        freed = server.stop()
    cold, warm, cleared = map(report.as_json, runs)
    outputs = runs[0].runs[0].trace.words["output_sha256"]
    return Story(known, cold, list(outputs), warm, cleared, counters, freed)

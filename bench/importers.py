"""How fast result files become cards, and how much memory that takes: `python -m bench.importers`.

Prints one line for each goal of the project: a guidellm report of about 96 KB in 50 ms, a detailed vLLM result of
100 MB in 5 s within 600 MB of memory, 1,000 cards validated per second on one core.
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from app.cards.export import to_yaml
from app.cards.load import read_card
from app.results.importers import read

DATA = Path(__file__).parents[1] / "tests" / "importers" / "data"
REPORT = DATA / "guidellm_faulty_rate.json"
DETAILED_MB = 100
REPEATS = 30
CARDS = 2000


def guidellm_ms() -> tuple[float, float]:
    """Median time of one import: on the wall, and of the processor alone, which a busy machine does not lengthen."""
    data = REPORT.read_bytes()
    wall, processor = [], []
    for _ in range(REPEATS):
        start, start_cpu = time.perf_counter(), time.process_time()
        report = read(REPORT.name, data)
        wall.append((time.perf_counter() - start) * 1000)
        processor.append((time.process_time() - start_cpu) * 1000)
        assert report.imported
    return statistics.median(wall), statistics.median(processor)


def write_detailed(path: Path) -> None:
    """A `--save-detailed` result of DETAILED_MB: 1000 gaps a request at full precision, and texts."""
    chance = random.Random(0)
    gaps = [[chance.random() / 30 for _ in range(1000)] for _ in range(200)]
    requests = int(DETAILED_MB * 1e6 / (len(json.dumps(gaps)) / len(gaps) + 2500))
    tree: dict[str, Any] = {
        "date": "20261129-120000",
        "backend": "openai",
        "model_id": "some/model",
        "num_prompts": requests,
        "request_rate": float("inf"),  # written as bare Infinity, the slower way through the reader
        "max_concurrency": 64,
        "duration": 600.0,
        "completed": requests,
        "failed": 0,
        "total_input_tokens": 1024 * requests,
        "total_output_tokens": 1001 * requests,
        "request_throughput": requests / 600,
        "output_throughput": 1001 * requests / 600,
        "total_token_throughput": 2025 * requests / 600,
        "mean_ttft_ms": 100.5,
        "mean_tpot_ms": 16.7,
        "mean_itl_ms": 16.7,
        "input_lens": [1024] * requests,
        "output_lens": [1001] * requests,
        "ttfts": [chance.random() for _ in range(requests)],
        "itls": [gaps[index % len(gaps)] for index in range(requests)],
        "generated_texts": ["some words of text, " * 125] * requests,
        "errors": [""] * requests,
    }
    path.write_text(json.dumps(tree))


def import_once(path: Path) -> None:
    """In a process of its own, so that the peak is the import's: interpreter, file and all."""
    data = path.read_bytes()
    start, start_cpu = time.perf_counter(), time.process_time()
    report = read(path.name, data)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - start_cpu
    assert report.imported
    assert not report.problems
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu": cpu_seconds, "peak_mb": peak, "file_mb": len(data) / 1e6}))


def detailed() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "detailed.json"
        write_detailed(path)
        command = [sys.executable, "-m", "bench.importers", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def cards_a_second() -> tuple[float, int]:
    """One ordinary card, read from YAML with all its findings; figures beside the result left out, as people write."""
    [imported, *_] = read(REPORT.name, REPORT.read_bytes()).imported
    text = to_yaml(imported.card.model_copy(update={"also": None}))
    start = time.process_time()
    for _ in range(CARDS):
        assert read_card(text).card
    return CARDS / (time.process_time() - start), len(text)


def main() -> None:
    if len(sys.argv) > 1:
        import_once(Path(sys.argv[1]))
        return
    wall, processor = guidellm_ms()
    size = REPORT.stat().st_size / 1024
    print(f"guidellm report of {size:.0f} KB: {wall:.1f} ms ({processor:.1f} ms of processor time); goal 50 ms")
    large = detailed()
    print(
        f"detailed vLLM result of {large['file_mb']:.0f} MB: {large['seconds']:.2f} s ({large['cpu']:.2f} s of "
        f"processor time), peak memory of the process {large['peak_mb']:.0f} MB; goal 5 s within 600 MB"
    )
    rate, length = cards_a_second()
    print(f"cards validated on one core: {rate:.0f}/s (YAML of {length} characters); goal 1000/s")


if __name__ == "__main__":
    main()

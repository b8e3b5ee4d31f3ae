"""Coverage-guided fuzzing of what reads files from outside, by hand: `python -m tests.fuzz MINUTES [FOLDER]`.

Needs atheris (`pip install atheris`), which is no part of the environment. An input that breaks a promise is written
to FOLDER (default: fuzz-found) and ends the run: it becomes a test of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["app"]):
    from app.cards.export import to_yaml
    from app.cards.load import read_bytes, read_card
    from app.results.importers import read

from tests.cards.factories import SOUND
from tests.importers.test_fuzz import SEEDS, is_a_report

NAMES = ("result.json", "summary.csv", "report.yaml")


def try_input(data: bytes) -> None:
    """The first byte chooses the reader."""
    if not data:
        return
    kind, rest = data[0] % 4, data[1:]
    if kind == 3:
        for syntax in ("yaml", "json"):
            found = read_bytes(rest, syntax=syntax)
            assert found.card or found.errors
            if found.card and not found.errors:
                assert read_card(to_yaml(found.card)).card == found.card
        return
    is_a_report(read(NAMES[kind], rest))


def main(minutes: float, folder: Path) -> None:
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate([*SEEDS, SOUND.encode()]):
        for kind in range(4):
            (corpus / f"seed-{number}-{kind}").write_bytes(bytes([kind]) + seed)
    options = [f"-max_total_time={int(minutes * 60)}", "-max_len=20000", f"-artifact_prefix={folder}/", "-timeout=20"]
    atheris.Setup([sys.argv[0], str(corpus), *options], try_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "fuzz-found"))

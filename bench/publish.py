"""A measurement of our own as claims of the catalogue: every digit computed from the traces of its bundle.

    python -m bench.publish app/catalogue/evidence/ID.zip [AXIS ...]

Prints the `claims` of a group of a source's file, one for each load and axis (output throughput, TTFT and TPOT). What
the group shares, its caveats first, is written by hand beside them; tests/catalogue/test_evidence.py computes each
value again.
"""

from __future__ import annotations

import argparse
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from app.claims.schema import Conditions
from app.jobs.quantities import QUANTITIES, value
from app.jobs.ran import conditions_of
from app.jobs.shipped import checked
from app.web.job_words import engine
from runners.load.statistics import few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.jobs.evidence import Checked

AXES = ("output_throughput", "ttft", "tpot")
PERCENT = {"interactivity_p90_slow": 90, "interactivity_p90_fast": 90, "interactivity_e2e": 90}
DIGITS = 4  # that three repeats can bear
Json = dict[str, Any]


def rounded(number: float) -> Decimal:
    """To four significant digits, written out."""
    return Decimal(f"{Decimal(f'{number:.{DIGITS}g}'):f}")


def claims(bundle: Checked, name: str, axes: Sequence[str] = AXES) -> Iterator[Json]:
    """One for each number; a load that is no result has none."""
    for of_set in bundle.numbers["sets"]:
        for axis in axes if of_set["valid"] else ():
            number = value(of_set, axis, "median", of_set["gpus"])
            if number is not None and not few(PERCENT.get(axis, 50), int(of_set["tpot_ms"]["count"])):
                yield _claim(bundle, name, of_set, axis, number)


def _claim(bundle: Checked, name: str, of_set: Json, axis: str, number: float) -> Json:
    point = bundle.report.plan.points[of_set["point"]]
    launch = next(side.launch for side in bundle.report.plan.sides if side.name == of_set["side"])
    counted = "with each event" if point.counting == "each_event" else "at the end"
    unit, between = QUANTITIES[axis].unit, of_set["spread"][QUANTITIES[axis].key]
    ends = [(f"{end} of {len(of_set['runs'])} runs", between[end]) for end in ("lowest", "highest")]
    return {
        "id": f"benchcard-{name}-{of_set['side']}{of_set['point']}-{axis.replace('_', '-')}",
        "title": f"{engine(launch)} at {of_set['load']}" if launch else f"at {of_set['load']}",
        "value": rounded(number),
        "unit": unit,
        "axis": axis,
        "locator": f"measurement {name}, {of_set['load']}",
        "beside": [{"name": called, "value": rounded(end), "unit": unit} for called, end in ends],
        "evidence": {"measurement": name, "side": of_set["side"], "point": of_set["point"]},
        "conditions": {
            "load": {"concurrency": str(point.concurrency)},
            "client": f"Benchcard, tokens counted {counted}",
        },
    }


class _Dumper(yaml.SafeDumper):
    """Numbers with the digits that they have."""


def _represent(dumper: yaml.SafeDumper, number: Decimal) -> yaml.ScalarNode:
    text = str(number)
    return dumper.represent_scalar(f"tag:yaml.org,2002:{'float' if '.' in text else 'int'}", text)


_Dumper.add_representer(Decimal, _represent)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("axes", nargs="*", choices=[*QUANTITIES, []], metavar="AXIS")
    given = parser.parse_args()
    file = given.bundle
    bundle = checked(file)
    ran, _ = conditions_of(bundle.report, "a", 0, Conditions())
    print(f"# conditions of all: {ran.model_dump_json(exclude_none=True)}")
    yaml.dump(
        list(claims(bundle, file.stem, given.axes or AXES)),
        sys.stdout,
        Dumper=_Dumper,
        sort_keys=False,
        width=140,
        default_flow_style=None,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

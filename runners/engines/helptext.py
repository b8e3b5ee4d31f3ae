"""What an engine's own `--help` says: which flags this very version knows, by full name. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from app.protocol.engines.options import Flag, Flags

_OPTION = re.compile(r"^  (-.*)$")  # argparse sets an option two columns in, its explanation twenty-four
_NAME = re.compile(r"(?:^|, )(--?[A-Za-z0-9][\w.-]*)")


def flags(text: str) -> Flags:
    """Every long option of a help text."""
    found: Flags = {}
    lines = text.splitlines()
    starts = [place for place, line in enumerate(lines) if _OPTION.match(line)]
    for start, end in pairwise([*starts, len(lines)]):
        option, *words = re.split(r"\s{2,}", lines[start].strip(), maxsplit=1)
        words += [line.strip() for line in lines[start + 1 : end] if line.startswith("      ")]
        flag = _flag(option, " ".join(words))
        if flag is not None:
            found |= dict.fromkeys(flag.names, flag)
    return found


def _flag(option: str, words: str) -> Flag | None:
    names = _NAME.findall(option)
    long = [name[2:] for name in names if name.startswith("--")]
    if not long:
        return None
    negative = next((name for name in long if name.startswith("no-") and name[3:] in long), None)
    choices = re.search(r"\{([^}]*)\}", option)
    after = re.sub(r"^--[\w.-]+", "", option).strip()
    return Flag(
        names=tuple(name for name in long if name != negative),
        takes_value=bool(after) and not after.startswith(","),
        negative=negative,
        choices=tuple(sorted(choices.group(1).split(","))) if choices else (),  # some are printed in no order
        deprecated=words if re.match(r"\(?deprecated", words, re.IGNORECASE) else None,
        short=tuple(name[1:] for name in names if not name.startswith("--")),
    )

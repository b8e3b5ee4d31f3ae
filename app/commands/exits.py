"""Exit statuses of the `benchcard` command, for scripts: one table, which --help shows and README.md repeats."""

OK = 0
FOUND = 1
USAGE = 2
SERVER = 3  # runners/commands.py ends by the same number where a measured run is not valid
SETUP = 4

TABLE = {
    OK: "done",
    FOUND: (
        "the answer is no: a card or the catalogue has errors, an id names nothing, two claims cannot be compared, "
        "nothing could be measured, an engine is not to be had, a backup is not whole, a bundle does not verify"
    ),
    USAGE: "wrong usage: an argument, a setting, or a file that cannot be read or written",
    SERVER: "no result from the server: it refused or does not answer, or the measured run is not valid",
    SETUP: "this installation must be mended: its port, data folder or database",
}
HELP = "exit status: " + "; ".join(f"{status} {meaning}" for status, meaning in TABLE.items())

"""Exit statuses of the `benchcard` command, for scripts."""

OK = 0
FOUND = 1  # the card has errors; the two claims cannot be compared; something shipped is wrong
USAGE = 2  # the command was called wrongly, or a file cannot be read
SERVER = 3  # the server refused or could not be reached

HELP = (
    "exit status: 0 done; 1 a card has errors, or two claims cannot be compared; 2 wrong usage or a file that cannot "
    "be read; 3 the server refused or does not answer"
)

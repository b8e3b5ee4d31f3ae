"""The `benchcard` command's actions, one file a noun. Each module has `add(commands)`, which declares its parsers.

An action returns the command's exit status: the numbers of exits.py, the same everywhere.
"""

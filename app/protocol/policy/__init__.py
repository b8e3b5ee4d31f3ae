"""What may run: the census of the engines' options and variables, and the two sides that decide by it."""

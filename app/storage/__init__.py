"""What lies in the data folder: which of it the database names, how much it is, its backup and its restoring."""

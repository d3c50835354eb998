"""Published tables: the system of each row, run on the data at hand, beside its number."""

"""Check a dataset for errors."""

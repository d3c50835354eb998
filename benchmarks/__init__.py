"""Benchmarks of `unseen`: `python -m benchmarks --list` shows what each of these files measures."""

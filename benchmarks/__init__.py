"""Measurements of `unseen`: `python -m benchmarks --list` tells what each of these files measures."""

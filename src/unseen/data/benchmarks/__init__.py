"""Generate datasets, fetch benchmarks, and compare them with published facts."""

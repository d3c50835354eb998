"""Tools that several benchmarks share: data, options, timing and tables."""

"""What several benchmarks use: data, options, timing and tables."""

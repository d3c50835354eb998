"""Results over random class splits, and their comparison."""

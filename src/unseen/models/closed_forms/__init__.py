"""Models that are regressions, solved in closed form."""

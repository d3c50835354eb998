"""Models that learn to rank the right class first, by stochastic steps."""

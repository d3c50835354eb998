"""Learn to rank the right class first, by stochastic steps."""

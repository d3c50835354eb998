"""Models that give every class a density of features."""

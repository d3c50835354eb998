"""Evaluation settings: the test rows, the candidates, and the metrics."""

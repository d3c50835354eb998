"""Solvers of the learning problem, one file each."""

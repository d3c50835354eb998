"""Alternating optimisation of the displaced features inside feasible sets."""

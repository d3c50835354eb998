"""Optimise displaced features inside feasible sets by alternation."""

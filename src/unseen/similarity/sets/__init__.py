"""Convex sets: those that W is kept in, and those that displaced features are kept in."""

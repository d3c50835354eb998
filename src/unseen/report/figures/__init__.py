"""Figures of the report, each in its own file."""

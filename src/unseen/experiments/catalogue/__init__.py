"""Experiments by name: systems of the literature on grounds, and files."""

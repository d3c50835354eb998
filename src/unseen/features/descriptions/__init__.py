"""Prepare class descriptions: steps, codes, and which of them are worth trying."""

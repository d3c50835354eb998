"""The figures, one file each, and what they have in common."""

"""Provide what every layer uses: arrays, errors, argument checks, names, tables as text, figures, files."""

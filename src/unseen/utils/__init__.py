"""What every layer uses: arrays, errors, argument checks, names, tables as text, figures, files."""

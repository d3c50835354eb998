"""Answer rows with a model, and write the answers."""

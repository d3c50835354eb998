"""How fast `unseen` is, always as a ratio to a floor measured in the same run."""

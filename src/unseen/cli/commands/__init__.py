"""Commands of `unseen`, each in its own file."""

"""Models that score a pair of features and description: JFA and its peers."""

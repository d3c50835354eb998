"""Read rows of features a block at a time, wherever they are."""

"""Models that predict attributes first and classes from them."""

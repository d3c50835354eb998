"""Models that predict attributes first, and then the class from them."""

"""Models that code class descriptions as mixtures of those of seen classes."""

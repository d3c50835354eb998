"""Models that compare features with exemplars made from seen classes."""

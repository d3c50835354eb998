"""Define convex sets for the weights W and for displaced features."""

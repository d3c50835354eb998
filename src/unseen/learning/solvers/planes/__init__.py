"""Minimise convex functions by planes below them."""

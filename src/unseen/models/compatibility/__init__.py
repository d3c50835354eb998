"""Compatibility models: each scores a pair of features and class description."""

"""Datasets by name: generated ones, what is published of the benchmarks, and how to fetch them."""

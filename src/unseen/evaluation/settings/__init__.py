"""The settings of an evaluation: which rows, among which candidates, and what is measured."""

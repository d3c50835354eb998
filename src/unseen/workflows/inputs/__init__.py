"""Load the inputs of workflows: datasets, rows to recognise, candidate classes and pictures."""

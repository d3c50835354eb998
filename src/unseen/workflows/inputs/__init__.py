"""Find what a workflow works on: datasets, rows to recognise, candidate classes and pictures."""

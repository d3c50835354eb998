"""Compare the speed of the working tree with that of another revision: `python -m benchmarks compare BASE`."""

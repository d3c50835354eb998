"""Define the networks of the encoders; each has its own module."""

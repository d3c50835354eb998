"""For the eyes: figures of what was measured."""

"""For the eyes: figures of what was measured, and one page that shows them all."""

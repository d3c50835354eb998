"""Models that code features and descriptions first, and then compare the codes."""

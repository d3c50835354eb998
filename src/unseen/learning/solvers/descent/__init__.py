"""Define what L-BFGS is made of: the questions it asks, its variables, and what it knows of the curvature."""

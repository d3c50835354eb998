"""Choose preparation, model and parameters on held-out seen classes, for `fit` without options."""

"""Answer from a model file without scikit-learn, where two products are all that the model needs."""

"""Other people's methods, each in one file and without `unseen`, as estimators that `unseen.evaluate` can run."""

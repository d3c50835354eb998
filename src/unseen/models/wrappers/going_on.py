"""Go on learning with the models inside wrappers, where they can."""

from typing import Any, Literal

from unseen.utils.arrays import Array


def require_partial_fit(*models: Any) -> Literal[True]:
    """Raise an AttributeError that says which of the models cannot go on learning; for `available_if`."""
    for model in models:
        if not hasattr(model, "partial_fit"):
            raise AttributeError(
                f"{type(model).__name__} cannot go on learning, so what stands around it has no 'partial_fit': fit on "
                "all rows, or choose GaussianJFA"
            )
    return True


def learn_more(model: Any, X: Array, y: Any, classes: Any, sample_weight: Any) -> None:
    """Call `partial_fit` of a fitted model with what is given."""
    given = {"classes": classes, "sample_weight": sample_weight}
    model.partial_fit(X, y, **{name: value for name, value in given.items() if value is not None})

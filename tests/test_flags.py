"""Every flag is True or False: any other value would count as one of them in silence."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.features.steps import STEPS
from unseen.models.registry import MODELS
from unseen.selection import ClassDisjointSearch, ClassKFold
from unseen.transduction import REFINEMENTS

DATA = make_zero_shot(n_seen=6, n_unseen=3, n_features=5, n_attributes=4, n_per_class=4, random_state=0)
OTHERS = {"ClassDisjointSearch": ClassDisjointSearch, "ClassKFold": ClassKFold}


def find_flags() -> Iterator[Any]:
    for registry in (STEPS, MODELS, REFINEMENTS, OTHERS):
        for name, kind in registry.items():
            for flag, parameter in inspect.signature(kind).parameters.items():
                if isinstance(parameter.default, bool):
                    yield pytest.param(kind, flag, id=f"{name}-{flag}")


FLAGS = list(find_flags())


def use(kind: Any, **flags: Any) -> None:
    """Make one of this kind with what it needs, and fit it."""
    model = MODELS["eszsl"]()
    if kind is ClassKFold:
        list(ClassKFold(2, **flags).split(DATA.X_train, DATA.y_train))
    elif kind is ClassDisjointSearch:
        kind(model, {"gamma": [1.0]}, splitter=ClassKFold(2), **flags).fit(DATA.X_train, DATA.y_train, DATA.classes)
    elif kind in STEPS.values():
        kind(**flags).fit(DATA.X_train, DATA.y_train)
    else:
        parts = {"model": model} if kind in REFINEMENTS.values() else {}
        if kind is MODELS["structural-svm"]:
            parts["similarity"] = "bilinear"
        kind(**parts, **flags).fit(DATA.X_train, DATA.y_train, classes=DATA.classes)


@pytest.mark.parametrize(("kind", "flag"), FLAGS)
@pytest.mark.parametrize("value", ["maybe", "false", None, 2, 0.5])
def test_only_true_and_false_are_flags(kind: Any, flag: str, value: object) -> None:
    # ValueError, for scikit-learn checks the flags of its own steps.
    with pytest.raises(ValueError, match=flag) as refused:
        use(kind, **{flag: value})
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(("kind", "flag"), FLAGS)
def test_the_bools_of_numpy_are_flags_too(kind: Any, flag: str) -> None:
    use(kind, **{flag: np.bool_(inspect.signature(kind).parameters[flag].default)})

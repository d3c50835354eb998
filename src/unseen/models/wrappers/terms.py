"""List the models whose scores add up to that of any estimator: one, or the parts of a blend."""

from dataclasses import dataclass
from typing import Any

from unseen.models.base import ZeroShotClassifier, core_of
from unseen.models.wrappers.blend import Blend
from unseen.models.wrappers.preparation import Preparation
from unseen.utils.errors import InputError


@dataclass(frozen=True, eq=False)
class Term:
    """The score of one model, on rows and descriptions prepared for it, multiplied by a factor."""

    factor: float
    core: ZeroShotClassifier
    preparation: Preparation


def list_terms(model: Any) -> list[Term]:
    """List the terms of the score of a fitted model, without any penalty of seen classes.

    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL, ConSE
    >>> data = load_dataset("digit-pairs")
    >>> blend = Blend([ESZSL(), ConSE()], weights=[1, 3]).fit(data.X_train, data.y_train, classes=data.classes)
    >>> [type(term.core).__name__ for term in list_terms(blend)]
    ['ESZSL', 'ConSE']
    """
    core, outer = core_of(model), Preparation.of(model)
    if isinstance(core, Blend):
        return [
            Term(factor * term.factor, term.core, outer.then(term.preparation))
            for factor, part in core.terms
            for term in list_terms(part)
        ]
    if not isinstance(core, ZeroShotClassifier):
        raise InputError(f"model={model!r} holds a {type(core).__name__}: give a fitted model of unseen.models")
    return [Term(1.0, core, outer)]

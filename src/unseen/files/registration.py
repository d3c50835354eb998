"""Register classes from outside this package, so that they are found by name and saved in model files."""

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, TypeVar

from sklearn.base import BaseEstimator

from unseen.features import STEPS
from unseen.learning.losses import LOSSES
from unseen.learning.solvers import SOLVERS
from unseen.models import MODELS, ZeroShotClassifier
from unseen.similarity import SIMILARITIES, Similarity
from unseen.transduction import REFINEMENTS, TransductiveClassifier
from unseen.utils.errors import InputError
from unseen.utils.registry import Registry

Kind = TypeVar("Kind", bound=type)

# The registry for a class, recognised by its base class or, for parts without one, by its methods.
_HOMES: tuple[tuple[Callable[[type], bool], Registry[Any]], ...] = (
    (lambda kind: issubclass(kind, ZeroShotClassifier), MODELS),
    (lambda kind: issubclass(kind, TransductiveClassifier), REFINEMENTS),
    (lambda kind: issubclass(kind, Similarity), SIMILARITIES),
    (lambda kind: issubclass(kind, BaseEstimator) and _has(kind, "fit", "transform"), STEPS),
    (lambda kind: is_dataclass(kind) and _has(kind, "value_and_weights", "true_weight"), LOSSES),
    (lambda kind: is_dataclass(kind) and _has(kind, "solve", "check"), SOLVERS),
)


def register(kind: Kind) -> Kind:
    """Register a class of your own, so that it is found by name, and `save` and `load` work for it.

    Call it where the class is defined, for example as a decorator. The class is then known as "package.module:Class",
    which cannot be mistaken for one of ours, and also by its bare name if that is free. Model files use the long name.
    Loading a file never imports anything: it fails until the class is registered.

    Parameters
    ----------
    kind : class
        A model (`ZeroShotClassifier`), a refinement (`TransductiveClassifier`), a `Similarity`, a step of preparation
        (a scikit-learn transformer), or a dataclass that is a loss or a solver. For a transformer, a file keeps the
        attributes named like scikit-learn's fitted attributes, such as `mean_`.

    Returns
    -------
    class
        The class itself.

    Examples
    --------
    >>> from unseen.models import JFA
    >>> register(JFA) is JFA  # usually written above the class, as @unseen.register; ours are known already
    True
    """
    if not isinstance(kind, type) or inspect.isabstract(kind):
        raise InputError(f"register was given {kind!r}, which is not a class that can be instantiated: give a class")
    home = next((registry for belongs, registry in _HOMES if belongs(kind)), None)
    if home is None:
        raise InputError(
            f"register was given {kind.__name__}, which is not of a kind that it accepts: derive a model from "
            "ZeroShotClassifier, a refinement from TransductiveClassifier, a similarity from Similarity or a step of "
            "preparation from scikit-learn's BaseEstimator, and make a loss or a solver a dataclass"
        )
    if kind not in home.values():
        # The same name again is a new version of the same class, as in a notebook.
        home.add(f"{kind.__module__}:{kind.__qualname__}", kind, replace=True)
    return kind


def import_class(name: str, argument: str) -> type:
    """Import the class "package.module:Class", and register it.

    This runs the module. Use it only for names that users give themselves, in their own program or command, never for
    names in a file, which may come from someone else.

    Parameters
    ----------
    name : str
    argument : str
        Name of the argument or option, for error messages.

    Examples
    --------
    >>> import_class("unseen.models:JFA", "model").__name__
    'JFA'
    """
    module, _, path = name.partition(":")
    found: Any = _import(module, f"{argument}={name!r}")
    for part in path.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise InputError(f"{argument}={name!r} is not a class of the module {module}: write package.module:Class")
    return register(found)


def import_modules(names: list[str], argument: str) -> None:
    """Import modules that register their classes; only for names that users give themselves (see `import_class`)."""
    for name in names:
        _import(name, f"{argument} {name}")


def _import(module: str, what: str) -> Any:
    try:
        return import_module(module)
    except (ImportError, ValueError, TypeError) as error:
        raise InputError(
            f"{what} cannot be imported ({error}): name a module that Python finds, such as one in a folder of "
            "PYTHONPATH"
        ) from error


def _has(kind: type, *methods: str) -> bool:
    return all(callable(getattr(kind, method, None)) for method in methods)

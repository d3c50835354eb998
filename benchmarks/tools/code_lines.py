"""Count the lines of code behind an estimator, by one rule for everybody's."""

import ast
import inspect
import sys
from types import ModuleType
from typing import Any

from sklearn.base import BaseEstimator


def count_code_lines(estimator: BaseEstimator) -> int:
    """Count the lines of the modules that an estimator needs of its own project.

    They are counted as Python writes them: a statement on a line, without blank lines, comments and docstrings. Code
    of other projects, such as scikit-learn's, is not counted.
    """
    return sum(map(_count_in_module, find_modules(estimator)))


def find_modules(estimator: BaseEstimator) -> list[ModuleType]:
    """List the modules of an estimator and its parts, and those of the same project from which these take something."""
    parts = [part for part in estimator.get_params().values() if isinstance(part, BaseEstimator)]
    waiting, found = [type(part).__module__ for part in (estimator, *parts)], {}
    project = waiting[0].partition(".")[0]
    while waiting:
        name = waiting.pop()
        if name.partition(".")[0] == project and name in sys.modules and name not in found:
            found[name] = sys.modules[name]
            waiting += map(_find_origin, vars(found[name]).values())
    return list(found.values())


def _find_origin(value: Any) -> str:
    """Return the name of the module in which a value of a module was defined."""
    return value.__name__ if inspect.ismodule(value) else str(getattr(value, "__module__", ""))


def _count_in_module(module: ModuleType) -> int:
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return sum(bool(line.strip()) for line in ast.unparse(tree).splitlines())

"""Import the members of a package when they are first used."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def import_on_use(package: str, homes: Mapping[str, Iterable[str]]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return the functions `__getattr__` and `__dir__` of a package that imports its members on first use.

    A command then waits only for what it needs: most packages import scikit-learn somewhere, which takes a second.

    Parameters
    ----------
    package : str
        Name of the package, `__name__` in its file.
    homes : mapping of str to iterable of str
        The members that each module of the package has, by the name of the module below the package.

    Examples
    --------
    >>> find, list_names = import_on_use("unseen.utils", {"errors": ["InputError"]})
    >>> find("InputError").__name__, list_names()
    ('InputError', ['InputError'])
    """
    modules = {name: f"{package}.{module}" for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name in modules:
            return getattr(import_module(modules[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted(modules)

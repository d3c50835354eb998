"""List the versions of Python and of installed packages."""

import platform
from collections.abc import Iterable


def list_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the version of Python and of each of these packages that is installed.

    >>> list(list_versions(["numpy", "no-such-package"]))
    ['python', 'numpy']
    """
    from importlib.metadata import PackageNotFoundError, version  # here, because commands import this module at once

    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found

"""Print constraints for pip that hold every requirement at the lowest version that pyproject.toml allows.

`python scripts/lowest_versions.py [EXTRA,EXTRA]`: the requirements of the base installation and of these extras.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(requirement: str) -> str:
    """Return the constraint for a requirement.

    >>> lowest("dask[array,distributed]>=2024.8")
    'dask==2024.8'
    """
    match = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?\s*>=\s*([\w.]+)", requirement)
    if match is None:
        raise SystemExit(f"{requirement!r} has no lowest version: write name>=version in pyproject.toml")
    return "{}=={}".format(*match.groups())


def constraints(project: dict[str, Any], extras: list[str]) -> list[str]:
    """Return a constraint for each requirement of the base and of `extras`."""
    known = project["optional-dependencies"]
    for extra in extras:
        if extra not in known:
            raise SystemExit(f"{extra!r} is not an extra: choose among {', '.join(known)}")
    requirements = [*project["dependencies"], *(requirement for extra in extras for requirement in known[extra])]
    return [lowest(requirement) for requirement in requirements]


if __name__ == "__main__":
    extras = [extra for extra in ",".join(sys.argv[1:]).split(",") if extra]
    print(*constraints(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"], extras), sep="\n")

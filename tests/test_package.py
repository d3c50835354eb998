"""The package as it is installed: its version, what it needs, and what describes it."""

from importlib.metadata import version

import unseen


def test_the_installed_version_is_that_of_the_source() -> None:
    assert version("unseen") == unseen.__version__

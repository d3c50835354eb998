"""Packages that import their members on first use have all that they promise, and nothing under another name."""

from importlib import import_module

import pytest

LAZY = ["unseen.data", "unseen.features", "unseen.files", "unseen.models", "unseen.workflows"]


@pytest.mark.parametrize("name", LAZY)
def test_every_member_is_found(name: str) -> None:
    package = import_module(name)
    assert sorted(package.__all__) == dir(package)
    for member in package.__all__:
        assert getattr(package, member) is not None
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = package.nothing

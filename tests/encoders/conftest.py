"""Packages of networks for the tests."""

import sys
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def torchvision() -> Any:
    """Torchvision, even where its compiled part does not fit the build of PyTorch (CUDA beside CPU).

    That part holds operators such as non-maximum suppression, which no encoder uses; only their registration has to be
    left out for the import to succeed.
    """
    pytest.importorskip("torch")
    try:
        import torchvision
    except (RuntimeError, OSError):
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        sys.modules["torchvision._meta_registrations"] = ModuleType("torchvision._meta_registrations")
        import torchvision
    except ImportError:
        pytest.skip("torchvision is not installed")
    return torchvision

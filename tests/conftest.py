"""What tests of every folder share."""

from typing import Any

import array_api_compat
import numpy as np
import pytest


# One instance per session, so that hypothesis may run many examples on it.
@pytest.fixture(scope="session", params=["numpy", "torch", "array_api_strict"])
def xp(request: pytest.FixtureRequest) -> Any:
    """An array API namespace: the test runs once on each library."""
    library = pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    if request.param == "array_api_strict":
        return library
    return array_api_compat.array_namespace(library.asarray(np.zeros(1)))

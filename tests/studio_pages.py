"""Ask the page of a studio what it shows."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What all pictures have as shares of all candidates, in the order of the document.
SHARES = "Array.from({length: studio.count}, (_, i) => studio.document.active.map(id => studio.share(i, id)))"

# Open a studio in the browser: a fixture of tests/studio.
OpenPage = Callable[..., AbstractContextManager[Any]]


def read_shares(page: Any) -> NDArray[np.float64]:
    return np.array(page.evaluate(SHARES))


def wait_until(page: Any, condition: str) -> None:
    """Wait until a condition holds: Playwright's own way is to evaluate text in the page, which its policy forbids."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"it never came to {condition}")


def settle(page: Any) -> None:
    """Wait until what was done is on the screen."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def choose_class(page: Any, name: str) -> None:
    """Choose a class to edit, as a person does: open the list, search, press Enter."""
    page.keyboard.press("e")
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    settle(page)

"""Show doctests as code in the reference: Markdown would take their `>>>` for quotations."""

import re
from typing import Any

import griffe

# An example ends at the next empty line, as it does for doctest.
EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


class FencedDoctests(griffe.Extension):
    """Puts fences around examples that stand in the text; those under "Examples" are known as such anyway."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring before it is parsed."""
        if obj.docstring and not re.search(r"^Examples\n-+$", obj.docstring.value, re.MULTILINE):
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)

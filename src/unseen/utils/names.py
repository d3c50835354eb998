"""Write class labels and attributes as people would say them; labels in data stay what they are."""

import re
from collections import Counter
from collections.abc import Iterable

# The number before the class names of Caltech-UCSD Birds.
NUMBER = re.compile(r"^\d+\.\s*(?=[^\W\d_])")
# A plus between letters is a space (Animals with Attributes), but not in "C++" or "1+1".
_PLUS = re.compile(r"(?<=[^\W\d_])\+(?=[^\W\d_])")
# "has_" before the attributes of Caltech-UCSD Birds, which say "has_bill_shape::dagger".
_HAS = re.compile(r"^has_(?=.*::)")


def readable_name(label: object) -> str:
    """Return a class label as people would write it.

    >>> readable_name("012.Yellow_headed_Blackbird"), readable_name("persian+cat"), readable_name("02")
    ('Yellow headed Blackbird', 'persian cat', '02')
    """
    text = str(label)
    words = " ".join(_PLUS.sub(" ", text.replace("_", " ")).split())
    return NUMBER.sub("", words) or text


def readable_names(labels: Iterable[object]) -> list[str]:
    """Return class labels as people would write them; labels that would then look alike stay as they are.

    >>> readable_names(["001.Crow", "002.Crow", "003.Fish_Crow"])
    ['001.Crow', '002.Crow', 'Fish Crow']
    """
    listed = [str(label) for label in labels]
    names = [readable_name(label) for label in listed]
    # Two labels clash if one name is shared by different labels, or is the label of another class.
    shared = Counter(name for _, name in dict.fromkeys(zip(listed, names, strict=True)))
    known = set(listed)
    return [
        label if shared[name] > 1 or (name != label and name in known) else name
        for label, name in zip(listed, names, strict=True)
    ]


def readable_attribute(name: str) -> str:
    """Return the name of an attribute as people would write it: "part: value" where it says so.

    >>> readable_attribute("has_bill_shape::curved_(up_or_down)"), readable_attribute("bigteeth")
    ('bill shape: curved (up or down)', 'bigteeth')
    """
    part, colons, value = _HAS.sub("", name).partition("::")
    return f"{readable_name(part)}: {readable_name(value)}" if colons and part and value else readable_name(name)

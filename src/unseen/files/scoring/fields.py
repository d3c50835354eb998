"""Read the parameters and the state of one estimator of a file, each when it is asked for."""

from typing import Any, NamedTuple

from unseen.files.tree_reader import TreeReader


class Fields(NamedTuple):
    """An estimator in a file, of which only what scores need is read.

    Attributes
    ----------
    reader : TreeReader
    tree : dict
        The tree of the estimator.
    """

    reader: TreeReader
    tree: dict[str, Any]

    def state(self, name: str) -> Any:
        """Return a fitted attribute."""
        return self.reader.read(self.tree["state"][name])

    def state_or_none(self, name: str) -> Any:
        """Return a fitted attribute, or None if the file has none."""
        return self.reader.read(self.tree["state"].get(name))

    def parameter(self, name: str) -> Any:
        """Return a parameter."""
        return self.reader.read(self.tree["parameters"][name])


class NeedsEstimator(Exception):
    """A file holds something that only the estimator itself can do."""

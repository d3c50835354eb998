"""Show class tables and datasets in notebooks."""

from typing import TYPE_CHECKING

from unseen.utils.tables import Cell, Table

if TYPE_CHECKING:
    from unseen.data.class_table import ClassTable
    from unseen.data.dataset import ZeroShotDataset

# Largest numbers of classes and attributes that are shown.
CLASSES, ATTRIBUTES = 8, 8


def view_classes(table: "ClassTable") -> Table:
    """Return a table of the first classes and attributes, with a note if there are more."""
    n_classes, width = min(len(table), CLASSES), min(table.width, ATTRIBUTES)
    names = table.attributes or tuple(map(str, range(table.width)))
    rows: list[tuple[Cell, ...]] = [
        (str(label), *(f"{value:.4g}" for value in vector[:width].tolist()))
        for label, vector in zip(table.labels[:n_classes].tolist(), table.vectors, strict=False)
    ]
    shown = f"{n_classes} of {len(table)} classes and {width} of {table.width} attributes are shown."
    notes = (shown,) if n_classes < len(table) or width < table.width else ()
    title = f"ClassTable of {len(table)} classes, width {table.width}"
    return Table(title, ("class", *names[:width]), tuple(rows), notes)


def view_dataset(data: "ZeroShotDataset") -> Table:
    """Return a table of the parts of the split with their sizes, with notes on the dataset."""
    parts = {
        "train": (len(data.train), len(data.seen_classes)),
        "test_seen": (len(data.test_seen), len(set(data.y_test_seen.tolist()))),
        "test_unseen": (len(data.test_unseen), len(data.unseen_classes)),
    }
    notes = [f"{data.X.shape[1]} features, {len(data.classes)} classes described by {data.classes.width} attributes."]
    if data.source:
        notes.append(f"Source: {data.source}")
    rows: tuple[tuple[Cell, ...], ...] = tuple((part, *sizes) for part, sizes in parts.items())
    title = f"ZeroShotDataset {data.name}".rstrip()
    return Table(title, ("part", "examples", "classes"), rows, tuple(notes))

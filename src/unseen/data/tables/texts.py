"""Read class descriptions in words from a CSV file."""

from pathlib import Path

from unseen.data.tables.csv import note_label, read_csv_lines
from unseen.data.tables.names import simplify_name
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean


def read_class_texts(path: Path, column: str | None = None, label: str | None = None) -> dict[str, str]:
    """Read the text that describes each class.

    Parameters
    ----------
    path : Path
        A CSV file in UTF-8 with a header line, one line per class.
    column : str, optional
        The column of texts. By default the class names themselves, written as words: "001.Laysan_Albatross" is then
        described as "laysan albatross".
    label : str, optional
        The column of class labels, by default the first.
    """
    if not path.is_file():
        raise InputError(f"{path} is not a file: give a CSV file of classes")
    lines = read_csv_lines(path, ",")
    _, header = next(lines, (0, []))
    if not header:
        raise InputError(f"{path} is empty: write a header line and one line per class")
    label_at = 0 if label is None else _find_column(header, label, "--label", path)
    text_at = None if column is None else _find_column(header, column, "--column", path)
    texts, line_of = list[str](), dict[str, int]()
    for line, cells in lines:
        where = f"{path}, line {line}"
        if len(cells) != len(header):
            raise InputError(
                f"{where} has {len(cells)} cells, but the header has {len(header)}: give each line the same number "
                "(put a text with commas in quotation marks)"
            )
        note_label(cells[label_at], line, line_of, where)
        texts.append(simplify_name(cells[label_at]) if text_at is None else cells[text_at].strip())
        if not texts[-1]:
            raise InputError(f"{where}, column {column!r}: the cell is empty; describe the class")
    if not texts:
        raise InputError(f"{path} has a header but no classes: write one line per class below it")
    return dict(zip(line_of, texts, strict=True))


def _find_column(header: list[str], name: str, argument: str, path: Path) -> int:
    if header.count(name) != 1:
        raise InputError(
            f"{argument} {name!r} names {header.count(name)} columns of {path}{did_you_mean([name], header)}: name one "
            f"of {shorten(header)}"
        )
    return header.index(name)

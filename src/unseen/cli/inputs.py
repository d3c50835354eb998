"""What the commands around model files are given: features, candidate classes, models by name, settings."""

import ast
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.utils.errors import InputError

if TYPE_CHECKING:
    from unseen.data import FeatureRows
    from unseen.files import ModelFile


def features_for(file: "ModelFile", path: Path, array: str | None = None, **encoding: Any) -> "FeatureRows":
    """Read the features that a model is asked about.

    The one place where features come in: the encoder that a model file names (`file.encoder`) makes them of pictures
    here, with the options `encoding` of `rows_of_pictures`.
    """
    from unseen.cli.pictures import rows_of_pictures
    from unseen.data import load_rows
    from unseen.encoders.pictures import is_picture

    if path.is_dir() or (path.is_file() and is_picture(path)):
        rows = rows_of_pictures(file.encoder, path, **encoding)
    else:
        rows = load_rows(path, array)
    if rows.X.shape[1] != file.model.n_features_in_:
        raise InputError(
            f"{path} has {rows.X.shape[1]} features in each row, but the model was fitted on "
            f"{file.model.n_features_in_}: make them in the same way"
        )
    return rows


def encoder_of(data: str, features: str | None = None) -> dict[str, Any] | None:
    """Return what encoded the features of a dataset, where `unseen extract` wrote it down."""
    from unseen.data.home import find_dataset
    from unseen.encoders.manifest import read_manifest

    path = find_dataset(data)
    found = read_manifest(path) if features is None and path is not None and path.is_dir() else None
    return None if found is None else found.encoder.as_dict()


def candidates_for(model: Any, classes: Path | None) -> Any:
    """Read the candidates: a class table (CSV), or a list of classes that the model knows (text)."""
    from unseen.data import ClassTable
    from unseen.data.candidates import candidate_table
    from unseen.data.tables.lists import read_lines
    from unseen.data.tables.names import label_mapping

    if classes is None:
        return model.table_.select(model.classes_)
    if not classes.is_file():
        raise InputError(f"--classes {classes} is no file: give a CSV file of class descriptions, or a list of names")
    if classes.suffix.casefold() == ".txt":
        names = read_lines(classes)
        return model.table_.select(label_mapping(names, list(model.table_), str(classes)).values())
    return candidate_table(ClassTable.from_csv(classes), model.table_)


def model_named(
    name: str,
    settings: Iterable[str] = (),
    *,
    unit_norm: bool = False,
    pca: int | None = None,
    whiten: bool = False,
    seed: int = 0,
) -> Any:
    """Make a model by its name in any case ("jfa"), with settings "name=value" and a preparation of its features."""
    from unseen.features import make_preparation
    from unseen.models import MODELS, Prepared

    model = MODELS.make(name, dict(map(setting, settings)), random_state=seed)
    steps: list[tuple[str, dict[str, Any]]] = [("UnitNorm", {})] if unit_norm else []
    steps += [] if pca is None else [("PCA", {"n_components": pca})]
    steps += [("Whitening", {}), ("UnitNorm", {})] if whiten else []
    return Prepared(model, features=make_preparation(steps, random_state=seed)) if steps else model


def setting(text: str) -> tuple[str, Any]:
    """Read "name=value", the value as JSON or Python writes it, else as text.

    >>> setting("omega=[1000, 10, 0, 1]"), setting("init=random")
    (('omega', [1000, 10, 0, 1]), ('init', 'random'))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError(f"{text!r} sets nothing: write name=value, e.g. lam=0.3")
    return name.strip(), _value(value.strip())


def grid_of(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Read "name=value,value,..." for each parameter of a grid.

    >>> grid_of(["lam=0.1,1", "omega=[1,1,0,0],[9,9,0,0]"])
    {'lam': [0.1, 1], 'omega': [[1, 1, 0, 0], [9, 9, 0, 0]]}
    """
    grid = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not values.strip():
            raise InputError(f"{text!r} is no part of a grid: write name=value,value, e.g. lam=0.1,1,10")
        listed = _value(f"[{values}]")
        grid[name.strip()] = listed if isinstance(listed, list) else [_value(part) for part in values.split(",")]
    return grid


def _value(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            continue
    return text

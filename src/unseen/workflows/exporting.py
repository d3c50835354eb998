"""Export a model for other programs."""

import os
from dataclasses import dataclass
from typing import Any, Literal

from unseen.files.export import ClassIndex, export_onnx
from unseen.utils.errors import InputError
from unseen.utils.storage.writing import refuse_existing
from unseen.workflows.fitting import AnyModel, open_model
from unseen.workflows.inputs.candidates import find_candidates


@dataclass(frozen=True, eq=False)
class Exported:
    """The exported model.

    Attributes
    ----------
    n_features, width : int
        Length of a row of features, and of a class description.
    index : ClassIndex or None
        The FAISS index, if one was written.
    """

    n_features: int
    width: int
    index: ClassIndex | None


def export(
    model: AnyModel,
    *,
    onnx: str | os.PathLike[str] | None = None,
    faiss: str | os.PathLike[str] | None = None,
    classes: Any = None,
    kind: Literal["flat", "ivf", "hnsw"] = "flat",
    force: bool = False,
) -> Exported:
    """Write an ONNX graph, a FAISS index over classes, or both.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator
    onnx : path-like, optional
        File for an ONNX graph that takes features and class descriptions and returns scores.
    faiss : path-like, optional
        File for a FAISS index over the candidates.
    classes : optional
        The candidates of the index, as for `predict`.
    kind : "flat" (default), "ivf" or "hnsw"
        Kind of index: flat is exact; the others are faster but may miss the best class.
    force : bool, default False
        Whether to replace existing files.
    """
    paths = [path for path in (onnx, faiss) if path is not None]
    if not paths:
        raise InputError("nothing to write: name a file with onnx or faiss (--onnx, --faiss on the command line)")
    for path in paths:
        refuse_existing(path, force)
    fitted = open_model(model).model
    if onnx is not None:
        export_onnx(fitted, onnx, force=force)
    index = None
    if faiss is not None:
        index = ClassIndex(fitted, find_candidates(fitted, classes), kind)
        index.write(faiss, force=force)
    return Exported(fitted.n_features_in_, fitted.table_.width, index)

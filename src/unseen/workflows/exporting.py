"""Write a model for other programs."""

import os
from dataclasses import dataclass
from typing import Any, Literal

from unseen.files.export import ClassIndex, export_onnx
from unseen.utils.errors import InputError
from unseen.utils.writing import refuse_existing
from unseen.workflows.fitting import AnyModel, open_model
from unseen.workflows.inputs.candidates import find_candidates


@dataclass(frozen=True, eq=False)
class Exported:
    """What was written.

    Attributes
    ----------
    n_features, width : int
        How many numbers a row of features and a class description have.
    index : ClassIndex or None
        The index, where one was written.
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
        Where to write a graph: features and classes in, scores out.
    faiss : path-like, optional
        Where to write an index over the candidates.
    classes : optional
        The candidates of the index, as for `predict`.
    kind : "flat" (default), "ivf" or "hnsw"
        Of the index: flat is exact; the others are faster and may miss.
    force : bool, default False
        Whether to replace files that exist.
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

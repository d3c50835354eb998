"""Write a model for other programs."""

import os
from typing import Any, Literal

from unseen.files.export import ClassIndex, export_onnx
from unseen.utils.errors import InputError
from unseen.utils.writing import refuse_existing
from unseen.workflows.asking import find_candidates
from unseen.workflows.fitted import AnyModel, open_model


def export(
    model: AnyModel,
    *,
    onnx: str | os.PathLike[str] | None = None,
    faiss: str | os.PathLike[str] | None = None,
    classes: Any = None,
    kind: Literal["flat", "ivf", "hnsw"] = "flat",
    force: bool = False,
) -> ClassIndex | None:
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

    Returns
    -------
    ClassIndex or None
        The index, where one was written.
    """
    paths = [path for path in (onnx, faiss) if path is not None]
    if not paths:
        raise InputError("nothing to write: name a file with onnx or faiss (--onnx, --faiss on the command line)")
    for path in paths:
        refuse_existing(path, force)
    fitted = open_model(model).model
    if onnx is not None:
        export_onnx(fitted, onnx, force=force)
    if faiss is None:
        return None
    index = ClassIndex(fitted, find_candidates(fitted, classes), kind)
    index.write(faiss, force=force)
    return index

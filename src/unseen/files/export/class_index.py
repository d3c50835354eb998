"""Find the best of very many candidate classes by a FAISS index over inner products."""

import os
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from unseen.data import ClassTable
from unseen.data.candidates import make_candidate_table
from unseen.files.export.short_lists import EFFORT, add_short_lists, import_faiss, search_short_lists
from unseen.models.scoring import list_penalties
from unseen.models.wrappers.calibrated import seen_penalty_of
from unseen.models.wrappers.terms import Term, list_terms
from unseen.utils.arrays import cut_row_blocks, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.storage.writing import create_file
from unseen.utils.validation import check_whole_number
from unseen.utils.wrapping import is_transductive

IndexKind = Literal["flat", "ivf", "hnsw"]

# Number of cells to search in files from before there were short lists.
EARLIER_EFFORT = 16

# Number of neighbours of each class in the graph (HNSW), and of candidates to keep on the way: usual values.
HNSW_NEIGHBOURS = 32
HNSW_EFFORT = 64


class Nearest(NamedTuple):
    """Labels (n, top) and scores (n, top) of the best candidates, the best first."""

    labels: NDArray[Any]
    scores: NDArray[np.float32]


class ClassIndex:
    """Find the best of very many candidate classes without scoring them all.

    score(x, y) = phi(x) . E_y + b_y is the inner product of (phi(x), 1) and (E_y, b_y). If descriptions are narrower
    than features and the score allows it, the inner product of (M^T phi(x), 1) and (psi_y, b_y) is used instead. For a
    `Blend`, the vectors of its parts stand side by side. If the candidates hold both seen and unseen classes, the
    penalty of a `Calibrated` model is in the offsets of the seen ones.

    Parameters
    ----------
    model : estimator
        Any fitted model whose scores are affine in the features (all but `ConSE`), wrapped or not, or a blend of these.
    classes : ClassTable, data frame or mapping
        The candidates.
    kind : "flat" (default), "ivf" or "hnsw"
        "flat" scores all candidates and is exact. "ivf" looks through the nearest of about sqrt(m) cells by a few
        numbers of each class, and scores a short list exactly. "hnsw" walks along a graph. Both are faster, take time
        to build, and may miss the best candidate (measure it on your classes). The scores that they return are exact.

    Examples
    --------
    >>> from unseen import JFA, load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    >>> found = ClassIndex(model, data.unseen_table).search(data.X_test_unseen, top=1)
    >>> bool((found.labels[:, 0] == model.predict(data.X_test_unseen, classes=data.unseen_table)).all())
    True
    """

    def __init__(self, model: Any, classes: Any, kind: IndexKind = "flat") -> None:
        table = make_candidate_table(classes, model.table_)
        self._queries = _Queries.of(model)
        self.labels = table.labels
        penalties = list_penalties(seen_penalty_of(model), table, model.classes_)
        self.index = _fill_index(self._queries, table, kind, penalties)

    @classmethod
    def read(cls, path: str | os.PathLike[str], model: Any, labels: Any) -> Self:
        """Read an index that `write` wrote.

        Parameters
        ----------
        path : path-like
        model : estimator
            The model for which the index was built.
        labels : array-like of shape (m,)
            The labels of the candidates, in the order of the table from which the index was built.
        """
        faiss = import_faiss()
        try:
            index = faiss.read_index(os.fspath(path))
        except RuntimeError as error:
            raise InputError(f"{path} is not a FAISS index, or is damaged: make it again") from error
        made = cls.__new__(cls)
        made._queries, made.labels, made.index = _Queries.of(model), np.asarray(labels), index
        if index.ntotal != len(made.labels) or index.d != made._queries.width:
            raise InputError(
                f"{path} has {index.ntotal} classes of {index.d} numbers, but there are {len(made.labels)} labels and "
                f"the model needs {made._queries.width}: give the model and the classes that it was made for"
            )
        return made

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the index in the FAISS format; classes are numbered in the order of their table."""
        with create_file(path, force) as draft:
            import_faiss().write_index(self.index, os.fspath(draft))

    def queries(self, X: Any) -> NDArray[np.float32]:
        """Return the query vectors for rows of features, shape (n, index.d)."""
        return self._queries.of_features(X)

    def search(self, X: Any, top: int = 1, *, effort: int | None = None) -> Nearest:
        """Find the best candidates of every row.

        Parameters
        ----------
        X : array of shape (n, d)
        top : int, default 1
        effort : int, optional
            Number of cells to search ("ivf", 32 by default) or of candidates to keep on the way ("hnsw", 64 by
            default). A larger number misses fewer of the best candidates. Where there are not more cells than that,
            all candidates are scored and none is missed.
        """
        count = min(check_whole_number(top, "top", 1), len(self.labels))
        scores, places = self._search(self.queries(X), count, effort)
        # An approximate index may find fewer classes than asked for.
        labels = np.asarray(self.labels[places])
        if (places < 0).any():
            labels = labels.astype(object)
            labels[places < 0] = None
        return Nearest(labels, scores)

    def _search(self, queries: NDArray[np.float32], count: int, effort: int | None) -> tuple[Any, Any]:
        """Return the scores and the places of the best candidates; a place that was not found is -1."""
        faiss = import_faiss()
        chosen = None if effort is None else check_whole_number(effort, "effort", 1)
        if isinstance(self.index, faiss.IndexRefine):
            return search_short_lists(self.index, queries, count, chosen or EFFORT)
        params = None
        if isinstance(self.index, faiss.IndexIVF):
            params = faiss.SearchParametersIVF(nprobe=chosen or EARLIER_EFFORT)
        if isinstance(self.index, faiss.IndexHNSW):
            params = faiss.SearchParametersHNSW(efSearch=chosen or HNSW_EFFORT)
        scores, places = self.index.search(queries, count, params=params)
        return scores, places


class _Queries:
    """Compute both sides of the inner product."""

    def __init__(self, terms: list["_TermQueries"]) -> None:
        self._terms = terms

    @classmethod
    def of(cls, model: Any) -> Self:
        if is_transductive(model):
            raise InputError(
                f"model={model!r} answers whole batches, but an index searches for each row by itself: give the model "
                "inside it, model.inner"
            )
        return cls([_TermQueries(term) for term in list_terms(model)])

    @property
    def width(self) -> int:
        return sum(term.width for term in self._terms) + 1

    def of_features(self, X: Any) -> NDArray[np.float32]:
        parts = [term.of_features(X) for term in self._terms]
        return np.column_stack([*parts, np.ones(len(parts[0]))]).astype(np.float32)

    def of_classes(self, table: ClassTable) -> NDArray[np.float32]:
        parts, offsets = zip(*(term.of_classes(table) for term in self._terms), strict=True)
        return np.column_stack([*parts, sum(offsets)]).astype(np.float32)

    def moment(self) -> NDArray[np.float64]:
        """Return what is known of the second moment of queries without any, shape (width, width)."""
        return np.asarray(block_diag(*(term.moment() for term in self._terms), np.eye(1)))


class _TermQueries:
    """Compute both sides of the inner product for one term of the score."""

    def __init__(self, term: Term) -> None:
        self._factor, self._core, self._preparation = term.factor, term.core, term.preparation
        form = term.core._quadratic_form()
        narrower = form is not None and form[0].shape[0] > form[0].shape[1]
        self._form = (to_numpy(form[0]), to_numpy(form[1])) if form is not None and narrower else None

    @property
    def width(self) -> int:
        return self._core._feature_scaling.width if self._form is None else int(self._form[0].shape[1])

    def of_features(self, X: Any) -> NDArray[Any]:
        phi = to_numpy(self._core._feature_scaling.apply(self._preparation.prepare_rows(np.asarray(X))))
        return phi if self._form is None else phi @ self._form[0]

    def moment(self) -> NDArray[np.float64]:
        """Return the second moment of queries if phi varies alike in all directions and has mean squared length 1."""
        if self._form is None:
            return np.eye(self.width) / self.width
        M = self._form[0].astype(np.float64)
        return np.asarray(M.T @ M / len(M))

    def of_classes(self, table: ClassTable) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the vectors (m, width) and the offsets (m,) of the classes."""
        core = self._core
        psi = to_numpy(core._scale_descriptions(self._preparation.prepare_table(table), core._feature_scaling.mean))
        if self._form is not None:
            return self._factor * psi, self._factor * np.sum((psi @ self._form[1]) * psi, axis=1)
        linear = core._scores_against(psi)
        if callable(linear):
            raise InputError(
                f"the scores of {type(core).__name__} are not inner products, so they cannot be indexed: "
                "choose another model"
            )
        E, b = (to_numpy(part) for part in linear)
        return self._factor * E.T, self._factor * b


def _fill_index(queries: _Queries, table: ClassTable, kind: str, penalties: NDArray[Any] | None) -> Any:
    check_choice(kind, list(get_args(IndexKind)), "kind")
    faiss = import_faiss()
    flat, vectors = _make_flat(len(table), queries.width)
    # In blocks, because descriptions are scaled in double precision, which takes memory.
    for rows in cut_row_blocks(len(table), 8 * 4 * (table.width + queries.width)):
        vectors[rows] = queries.of_classes(ClassTable(table.vectors[rows], table.labels[rows]))
    if penalties is not None:
        vectors[:, -1] -= penalties
    if kind == "ivf":
        return add_short_lists(flat, vectors, queries.moment())
    if kind == "hnsw":
        graph = faiss.index_factory(queries.width, f"HNSW{HNSW_NEIGHBOURS},Flat", faiss.METRIC_INNER_PRODUCT)
        graph.add(vectors)
        return graph
    return flat


def _make_flat(n: int, width: int) -> tuple[Any, NDArray[np.float32]]:
    """Make a flat index of n vectors, to be filled in place: adding them would take twice the memory."""
    faiss = import_faiss()
    flat = faiss.IndexFlatIP(width)
    flat.codes.resize(n * flat.code_size)
    flat.ntotal = n
    return flat, faiss.rev_swig_ptr(flat.get_xb(), n * width).reshape(n, width)

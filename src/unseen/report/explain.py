"""Explain a prediction by the attributes of the class."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.pipeline import Pipeline

from unseen.data import ClassTable
from unseen.data.candidates import make_candidate_table
from unseen.models import JFA
from unseen.models.base import core_of
from unseen.models.wrappers.preparation import Preparation
from unseen.utils.arrays import to_numpy
from unseen.utils.names import readable_attribute, readable_name
from unseen.utils.tables import Table
from unseen.utils.validation import check_matrix

# Attributes that a notebook shows.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Explanation:
    """The effect of each attribute of a class for one image.

    Attributes
    ----------
    kind : "displacement" or "contribution"
        For JFA, the displacement: how the image moves the description of the class (z_s of Eq. eqn:z), which estimates
        the attributes of this individual. For other models, the contribution of each attribute to the score.
    model, label : str
        The kind of model, and the class.
    attributes : tuple of str
    described : ndarray of shape (d_s,)
        The description of the class.
    effect : ndarray of shape (d_s,)
        Displacement: how far this image moves each attribute, compared with the average training image. Contribution:
        how much each attribute adds to the score.
    adapted : ndarray of shape (d_s,) or None
        Displacement only: z_s itself, in the units of the description. It differs from `described` by `effect` and by
        the cost of length, which is the same for any image of the class.
    strength : ndarray of shape (d_s,)
        Size of each effect, in units that make attributes comparable.
    """

    kind: Literal["displacement", "contribution"]
    model: str
    label: Any
    attributes: tuple[str, ...]
    described: NDArray[np.float64]
    effect: NDArray[np.float64]
    adapted: NDArray[np.float64] | None
    strength: NDArray[np.float64]

    @property
    def effect_name(self) -> str:
        """Name of the effect in words."""
        return "moved by the image" if self.kind == "displacement" else "added to the score"

    def strongest(self, top: int) -> NDArray[np.int64]:
        """Return the positions of the attributes with the strongest effect, the strongest first."""
        return np.argsort(-self.strength, kind="stable")[:top]

    def _repr_html_(self) -> str:
        rows = tuple(
            (readable_attribute(str(row["attribute"])), *(f"{value:.3g}" for value in list(row.values())[1:]))
            for row in self.rows(_SHOWN)
        )
        columns = tuple(self.rows(1)[0])
        notes = (f"The strongest {len(rows)} of {len(self.attributes)} attributes.",) * (
            len(rows) < len(self.attributes)
        )
        return Table(f"{readable_name(self.label)}, seen by {self.model}", columns, rows, notes).to_html()

    def rows(self, top: int | None = None) -> list[dict[str, Any]]:
        """Return one mapping for each attribute, the strongest effect first."""
        columns = {"described": self.described, self.effect_name: self.effect}
        if self.adapted is not None:
            columns = {"described": self.described, "adapted": self.adapted, self.effect_name: self.effect}
        return [
            {"attribute": self.attributes[at]} | {name: float(values[at]) for name, values in columns.items()}
            for at in self.strongest(len(self.attributes) if top is None else top)
        ]


def explain(model: Any, x: Any, label: Any, classes: Any = None) -> Explanation:
    """Explain how well an image matches a class according to a fitted model.

    Parameters
    ----------
    model : estimator
        A fitted model of this package, possibly inside `Prepared` or `Calibrated`. If descriptions are prepared by a
        `SimplexCoder` or a `KernelMap`, the "attributes" are the classes that it mixes or compares with. For a
        transductive model (`unseen.transduction`), the model inside is explained.
    x : array-like of shape (d,)
        The features of the image.
    label : hashable
        The class.
    classes : ClassTable, data frame or mapping, optional
        Descriptions that include the class; by default the table given to `fit`.

    Examples
    --------
    >>> from unseen import JFA, load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    >>> explain(model, data.X_test_unseen[0], data.y_test_unseen[0]).kind
    'displacement'
    """
    inside, preparation = core_of(model), Preparation.of(model)
    given = model.table_ if classes is None else make_candidate_table(classes, model.table_)
    place = given.index_of([label], name="label")
    X, table = preparation.prepare_rows(check_matrix(np.asarray(x)[None, :], "x")), preparation.prepare_table(given)
    names = _name_columns(model, preparation, given, table)
    described = np.asarray(table.vectors[place[0]], dtype=np.float64)
    if isinstance(inside, JFA):
        return _explain_displacement(inside, X, label, table, names, described)
    effect = to_numpy(inside.contributions(X, [label], classes=table))[0].astype(np.float64)
    return Explanation("contribution", type(inside).__name__, label, names, described, effect, None, np.abs(effect))


def _explain_displacement(
    model: JFA, X: NDArray[Any], label: Any, table: ClassTable, names: tuple[str, ...], described: NDArray[np.float64]
) -> Explanation:
    # In double precision, and relative to the average image, which has no effect of its own.
    average = to_numpy(model._feature_scaling.mean)[None, :]
    pair = np.concatenate([X.astype(np.float64), average])
    adapted, at_average = to_numpy(model.adapt(pair, [label, label], classes=table).z_s)
    effect = adapted - at_average
    strength = np.abs(effect * to_numpy(model._description_scaling.factor))
    return Explanation("displacement", type(model).__name__, label, names, described, effect, adapted, strength)


def _name_attributes(table: ClassTable, fitted: ClassTable) -> tuple[str, ...]:
    return table.attributes or fitted.attributes or tuple(f"attribute {at}" for at in range(table.width))


def _name_columns(model: Any, preparation: Preparation, given: ClassTable, prepared: ClassTable) -> tuple[str, ...]:
    """Name the columns of prepared descriptions after attributes, or after the classes that they compare with."""
    steps = [step for each in preparation.descriptions for step in _list_steps(each)]
    if all(isinstance(step, OneToOneFeatureMixin) for step in steps):
        return _name_attributes(given, model.table_)
    if "seen" in (getattr(steps[-1], "atoms", None), getattr(steps[-1], "landmarks", None)):
        return tuple(f"like {label}" for label in model.classes_.tolist())
    return _name_attributes(prepared, prepared)


def _list_steps(transformer: Any) -> list[Any]:
    steps = [step for _, step in transformer.steps] if isinstance(transformer, Pipeline) else [transformer]
    return [step for step in steps if step not in (None, "passthrough")]

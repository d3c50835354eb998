"""Reduce the dimension of features by principal components, as in the paper."""

import re
from typing import Any

from sklearn.decomposition import PCA, TruncatedSVD

from unseen.utils.registry import make_unknown_error
from unseen.utils.validation import check_whole_number

# Initial sizes of the target dictionary in JLSE (Sec. 3.1), which the paper adopts and tunes by cross-validation.
PAPER_DIMENSIONS = {"aPY": 40, "AwA": 200, "CUB": 300, "SUN": 200}


def dimension_reduction(size: int | str, *, centred: bool = True, random_state: Any = None) -> PCA | TruncatedSVD:
    """Make the transformer that projects rows on the leading directions of the training rows.

    The paper's features are projections on "the top eigenvectors of all training samples". It does not say whether the
    samples were centred first; both are possible here, and centring is the default.

    Parameters
    ----------
    size : int or str
        The number of directions, or the name of a dataset of the paper: aPY 40, AwA 200, CUB 300, SUN 200 (in any
        case; AWA1, AWA2 and aP&Y are understood).
    centred : bool, default True
        True for eigenvectors of the covariance (`sklearn.decomposition.PCA`), False for those of the second moment
        X^T X (`sklearn.decomposition.TruncatedSVD`).
    random_state : int, RandomState or None
        Seed of the randomised decomposition that both use for large data.

    Examples
    --------
    >>> dimension_reduction("AwA")
    PCA(n_components=200)
    >>> dimension_reduction(50, centred=False)
    TruncatedSVD(n_components=50)
    """
    count = find_paper_dimension(size) if isinstance(size, str) else check_whole_number(size, "size", 1)
    return (PCA if centred else TruncatedSVD)(n_components=count, random_state=random_state)


def find_paper_dimension(dataset: str) -> int:
    """Look up the number of directions for a dataset of the paper.

    >>> find_paper_dimension("aP&Y"), find_paper_dimension("AWA2")
    (40, 200)
    """
    letters = re.sub("[^a-z]", "", dataset.casefold())
    sizes = {name.casefold(): size for name, size in PAPER_DIMENSIONS.items()}
    if letters not in sizes:
        raise make_unknown_error(dataset, PAPER_DIMENSIONS, "size", "a number")
    return sizes[letters]

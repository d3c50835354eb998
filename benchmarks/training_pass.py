"""Compare one full training pass with the bare product, and with a pass that forms every latent pair."""

import sys
from pathlib import Path

import numpy as np

from benchmarks.tools.birds import Birds, load_birds
from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import time_best, time_once
from unseen.features import DescriptionScaling, FeatureScaling, Rows
from unseen.learning import LatentSVM, Maximum, SoftMaximum
from unseen.learning.training import reduce_to_span
from unseen.models import JFA
from unseen.similarity import AdaptiveSimilarity

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference import straightforward_pass


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--ours", action="store_true", help="leave out the pass that forms every pair, which is slow")
    options = parser.parse_args(arguments)
    birds = load_birds(options.small)
    show(measure(birds, options.ours), f"training_pass: {birds.source}", options.json)


def measure(birds: Birds, only_ours: bool) -> list[Row]:
    phi = FeatureScaling.fit(birds.X).apply(birds.X)
    y = birds.classes.index_of(birds.y)
    psi = DescriptionScaling.fit(birds.classes.vectors).apply(birds.classes.vectors)
    omega = JFA().omega
    similarity = AdaptiveSimilarity(omega)
    factor = np.random.default_rng(0).standard_normal((phi.shape[1], len(psi))).astype(phi.dtype)
    rows = []
    for loss in (Maximum(), SoftMaximum()):
        objective, _ = reduce_to_span(LatentSVM(similarity, Rows(phi).pad(), y, psi, loss=loss), similarity.domain())
        W = 0.01 * np.random.default_rng(1).standard_normal((phi.shape[1], objective.psi.shape[1]))
        bare, ours = time_best(lambda: phi @ factor, lambda o=objective, W=W: o.evaluate(W), repeats=100)
        limit = 3.5 if isinstance(loss, Maximum) else 3.0
        rows.append(Row(f"one pass, {type(loss).__name__}", ours, "bare product", bare, at_most=limit))
        if isinstance(loss, Maximum) and not only_ours:
            plain = time_once(lambda o=objective, W=W: straightforward_pass(W, omega, phi, y, o.psi, lam=1.0))
            rows.append(Row("the pass that forms all z", plain, "our pass", ours, at_least=50))
    return rows

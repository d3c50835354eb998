"""Rehearse by how much seen classes outscore unseen ones, on held-out seen classes, without fitting again."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.seen_unseen import GroupedAnswers, SeenUnseenCurve, find_best_gamma, trace_curve
from unseen.models.densities.gaussian_choice import Sample, cut_class_folds
from unseen.models.densities.gaussian_classes import GaussianClasses, Shape, Span, Spectrum, find_posterior_means
from unseen.utils.arrays import Array, namespace


def rehearse_seen_penalty(spectrum: Spectrum, span: Span, psi: Array, shape: Shape, rows: Sample) -> float:
    """Return the constant that seen classes should lose, for the best harmonic mean of both accuracies.

    Each fold of classes in turn takes the place of unseen ones. The mean that a row of a seen class is compared with is
    that of the other rows of the class.

    Parameters
    ----------
    spectrum : Spectrum
        What the training rows say of covariance and means.
    span : Span
        What the means span, whitened as `shape` says.
    psi : array of shape (C, d_s)
        Descriptions of their classes.
    shape : Shape
    rows : Sample
    """
    xp = namespace(psi)
    # The rows are in the span from here on, where its axes are those of the coordinates.
    rows = replace(rows, phi=(rows.phi - spectrum.centre[None, :]) @ span.axes)
    k = span.means.shape[1]
    span = replace(span, axes=xp.eye(k, dtype=psi.dtype, device=psi.device))
    spectrum = replace(spectrum, centre=xp.zeros(k, dtype=psi.dtype, device=psi.device))
    folds = cut_class_folds(psi.shape[0], 1)
    return find_best_gamma([_rehearse(spectrum, span, psi, shape, rows, held) for held in folds])


def _rehearse(
    spectrum: Spectrum,
    span: Span,
    psi: Array,
    shape: Shape,
    rows: Sample,
    held: NDArray[np.int64],
) -> SeenUnseenCurve:
    xp = namespace(psi)
    kept = np.setdiff1d(np.arange(psi.shape[0]), held)
    seen, unseen = (xp.asarray(part, device=psi.device) for part in (kept, held))
    less = replace(spectrum, counts=xp.take(spectrum.counts, seen, axis=0), noise=xp.take(spectrum.noise, seen, axis=0))
    observed = xp.take(span.means, seen, axis=0)
    fitted = GaussianClasses.fit(less, replace(span, means=observed), xp.take(psi, seen, axis=0), shape)
    means = xp.concat([fitted.means, fitted.regression.predict(xp.take(psi, unseen, axis=0))])
    z, y = fitted.apply(rows.phi), rows.y
    is_seen = np.isin(y, kept)
    own = np.searchsorted(kept, y[is_seen])
    of_seen, of_unseen = (
        xp.take(z, xp.asarray(np.flatnonzero(group), device=z.device), axis=0) for group in (is_seen, ~is_seen)
    )
    places = xp.asarray(own, device=z.device)
    among_others = _leave_out(fitted, of_seen, places, fitted.apply(observed), less.counts)
    is_own = places[:, None] == xp.arange(means.shape[0], device=z.device)[None, :]
    scores = xp.where(is_own, fitted.score_pairs(of_seen, among_others)[:, None], fitted.score(of_seen, means))
    answers = [GroupedAnswers.of(group, len(kept)) for group in (scores, fitted.score(of_unseen, means))]
    weights = (rows.weights[is_seen], rows.weights[~is_seen])
    return trace_curve(answers[0], own, answers[1], len(kept) + np.searchsorted(held, y[~is_seen]), weights)


def share_penalty(penalty: float, fitted: GaussianClasses, counts: Array, typical: float) -> Array:
    """Return what classes with so many rows (C,) lose, if those with a typical number lose the whole penalty.

    Seen classes are ahead of unseen ones because their means are those of their own rows, so that a class loses as much
    of the penalty as its mean owes to its rows.
    """
    xp = namespace(counts)
    evidence = counts[:, None] * fitted.rho[None, :]
    own = xp.mean(evidence / (1 + evidence), axis=1)
    usual = xp.mean(typical * fitted.rho / (1 + typical * fitted.rho))
    return penalty * xp.where(own < usual, own / usual, xp.ones_like(own))


def _leave_out(fitted: GaussianClasses, z: Array, places: Array, observed: Array, counts: Array) -> Array:
    """Return the posterior mean of the class of each row z (n, k), had this row not been there.

    `places` (n,) are the classes, with means `observed` (C, k) of so many rows, `counts` (C,).
    """
    xp = namespace(z)
    n = xp.take(counts, places, axis=0)[:, None]
    others = xp.where(n > 1, n - 1, xp.zeros_like(n))
    mean = (n * xp.take(observed, places, axis=0) - z) / xp.where(others > 0, others, xp.ones_like(others))
    return find_posterior_means(xp.take(fitted.regression.left_out, places, axis=0), mean, others, fitted.rho)

"""Rehearse by how much seen classes outscore unseen ones, on held-out seen classes, without fitting again."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.seen_unseen import GroupedAnswers, SeenUnseenCurve, find_best_gamma, trace_curve
from unseen.models.exemplars.gaussian_choice import cut_class_folds
from unseen.models.exemplars.gaussian_classes import GaussianClasses, Shape, Span, Spectrum, find_posterior_means
from unseen.utils.arrays import Array, namespace, to_numpy


def rehearse_seen_penalty(spectrum: Spectrum, psi: Array, shape: Shape, phi: Array, y: NDArray[np.int64]) -> float:
    """Return the constant that seen classes should lose, for the best harmonic mean of both accuracies.

    Each fold of classes in turn takes the place of unseen ones. The mean that a row of a seen class is compared with is
    that of the other rows of the class.

    Parameters
    ----------
    spectrum : Spectrum
        What the training rows say of covariance and means.
    psi : array of shape (C, d_s)
        Descriptions of their classes.
    shape : Shape
    phi : array of shape (n, d)
        Some of the rows.
    y : ndarray of shape (n,)
        Their classes.
    """
    span = Span.of(spectrum, shape.within_shrinkage)
    folds = cut_class_folds(psi.shape[0], 1)
    return find_best_gamma([_rehearse(spectrum, span, psi, shape, phi, y, held) for held in folds])


def _rehearse(
    spectrum: Spectrum,
    span: Span,
    psi: Array,
    shape: Shape,
    phi: Array,
    y: NDArray[np.int64],
    held: NDArray[np.int64],
) -> SeenUnseenCurve:
    xp = namespace(psi)
    kept = np.setdiff1d(np.arange(psi.shape[0]), held)
    seen, unseen = (xp.asarray(part, device=psi.device) for part in (kept, held))
    less = replace(spectrum, counts=xp.take(spectrum.counts, seen, axis=0), noise=xp.take(spectrum.noise, seen, axis=0))
    fitted = GaussianClasses.fit(
        less, replace(span, means=xp.take(span.means, seen, axis=0)), xp.take(psi, seen, axis=0), shape
    )
    means = xp.concat([fitted.means, fitted.regression.predict(xp.take(psi, unseen, axis=0))])
    z = fitted.apply(phi)
    scores = to_numpy(fitted.score(z, means))
    is_seen = np.isin(y, kept)
    own = np.searchsorted(kept, y[is_seen])
    scores[np.flatnonzero(is_seen), own] = _score_against_others(fitted, less.counts, z, is_seen, own)
    answers = [_group(scores[rows], len(kept)) for rows in (is_seen, ~is_seen)]
    return trace_curve(answers[0], own, answers[1], len(kept) + np.searchsorted(held, y[~is_seen]))


def _score_against_others(
    fitted: GaussianClasses, counts: Array, z: Array, is_seen: NDArray[np.bool_], own: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Score rows against the mean of the other rows of their class."""
    xp = namespace(z)
    places = xp.asarray(own, device=z.device)
    z = xp.take(z, xp.asarray(np.flatnonzero(is_seen), device=z.device), axis=0)
    n = xp.take(counts, places, axis=0)[:, None]
    others = xp.where(n > 1, n - 1, xp.zeros_like(n))
    evidence = n * fitted.rho[None, :]
    # The posterior mean of all rows is taken apart again, for the observed one is not kept.
    predicted = xp.take(fitted.regression.left_out, places, axis=0)
    total = (xp.take(fitted.means, places, axis=0) * (1 + evidence) - predicted) / fitted.rho[None, :]
    mean = (total - z) / xp.where(others > 0, others, xp.ones_like(others))
    mean = find_posterior_means(predicted, mean, others, fitted.rho)
    weighted = mean / (1 + fitted.rho)[None, :]
    return to_numpy(xp.sum(z * weighted, axis=1) - xp.sum(mean * weighted, axis=1) / 2)


def _group(scores: NDArray[np.float64], n_seen: int) -> GroupedAnswers:
    best_seen, best_unseen = scores[:, :n_seen].argmax(axis=1), n_seen + scores[:, n_seen:].argmax(axis=1)
    at = np.arange(len(scores))
    return GroupedAnswers(best_seen, best_unseen, scores[at, best_seen] - scores[at, best_unseen])

"""Define coordinates in which a spectral-norm ball has no boundary and the similarity has no pole.

Near the boundary of the positive-definite set the score grows like R = (I - What^T What)^-1, so learning in W is stiff.
With What = X (I + X^T X)^(-1/2) it is R = I + X^T X, which is smooth and defined for every X. The boundary of the ball
lies just inside the pole. To reach it at a finite X, the singular values x are first mapped to
t = sqrt(A) sin(x / sqrt(A)), and

    y = sqrt((1 + A) / A) t / sqrt(1 + t^2)

is the singular value of a matrix Y of the unit ball. It is about x near zero, is 1 at x = sqrt(A) pi/2, and falls
beyond. `to_ball` and `from_ball` also accept stacks of matrices.
"""

from collections.abc import Callable
from dataclasses import dataclass

from unseen.utils.arrays import Array, decompose_symmetric, is_positive_definite, namespace, to_float64

# A. With the margin that learning keeps from the pole, R = I + T^T T holds up to half a percent.
SHARPNESS = 500.0

# Within this share of the radius, W itself is as good a variable as X.
CORE = 0.5

# Singular values at the boundary are lowered to this, because the gradient with respect to X vanishes there.
INNERMOST = 0.999


@dataclass(frozen=True)
class BallChart:
    """Coordinates of the matrices whose largest singular value is at most `radius`.

    At zero, one unit of the coordinates corresponds to a length of `radius` in W.
    """

    radius: float

    def is_in_core(self, W: Array) -> bool:
        """Tell whether W is so far inside the ball that it is as good a variable as its coordinates."""
        return is_in_ball(W, CORE * self.radius)

    def point(self, X: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the W with coordinates X, and the function that converts gradients in W to gradients in X."""
        Y, pull_back = to_ball(X)
        return self.radius * Y, lambda G: self.radius * pull_back(G)

    def coordinates(self, W: Array) -> Array:
        """Return the coordinates X of W; a W on the boundary is first moved slightly inwards."""
        return from_ball(W / self.radius)


def is_in_ball(W: Array, radius: float) -> bool:
    """Tell whether sigma_max(W) <= radius by one Cholesky factorisation, without singular values."""
    xp = namespace(W)
    W = to_float64(W) / radius
    small = W if W.shape[1] <= W.shape[0] else W.T
    # By rounding, a projected matrix may lie slightly outside.
    identity = (1 + 1e-12) * xp.eye(small.shape[1], dtype=xp.float64, device=small.device)
    return is_positive_definite(identity - small.T @ small)


def to_ball(X: Array) -> tuple[Array, Callable[[Array], Array]]:
    """Return the point Y of the unit ball, and the function that converts gradients in Y to gradients in X."""
    if X.shape[-1] > X.shape[-2]:
        return _map_transposed(X)
    xp = namespace(X)
    transpose = xp.matrix_transpose
    squares, V = decompose_symmetric(transpose(X) @ X)
    squares = xp.maximum(squares, xp.zeros_like(squares))
    factor, slope = _compute_factors(squares)
    XV = X @ V
    Y = (XV * factor[..., None, :]) @ transpose(V)

    def pull_back(G: Array) -> Array:
        # Daleckii & Krein: in its eigenbasis, the derivative of a function of X^T X is given by divided differences.
        GV = G @ V
        inside = transpose(XV) @ GV
        inside = (inside + transpose(inside)) * _compute_divided_differences(squares, factor, slope)
        return (GV * factor[..., None, :] + XV @ inside) @ transpose(V)

    return Y, pull_back


def from_ball(Y: Array) -> Array:
    """Return X with `to_ball(X)` = Y; singular values of Y above `INNERMOST` are lowered to it."""
    if Y.shape[-1] > Y.shape[-2]:
        return namespace(Y).matrix_transpose(from_ball(namespace(Y).matrix_transpose(Y)))
    xp = namespace(Y)
    squares, V = decompose_symmetric(xp.matrix_transpose(Y) @ Y)
    tiny = xp.full_like(squares, 1e-30)
    squares = xp.maximum(squares, tiny)
    y2 = xp.minimum(squares, xp.full_like(squares, INNERMOST**2))
    t = xp.sqrt(y2 / ((1 + SHARPNESS) / SHARPNESS - y2))
    x = SHARPNESS**0.5 * xp.asin(t / SHARPNESS**0.5)
    return (Y @ V * (x / xp.sqrt(squares))[..., None, :]) @ xp.matrix_transpose(V)


def _map_transposed(X: Array) -> tuple[Array, Callable[[Array], Array]]:
    transpose = namespace(X).matrix_transpose
    Y, pull_back = to_ball(transpose(X))
    return transpose(Y), lambda G: transpose(pull_back(transpose(G)))


def _compute_factors(squares: Array) -> tuple[Array, Array]:
    """Return y / x for every square of an x, and its derivative with respect to the square."""
    xp = namespace(squares)
    angle = xp.sqrt(squares / SHARPNESS)
    sine, cosine = xp.sin(angle), xp.cos(angle)
    small = angle < 1e-2  # series to the sixth order avoid the cancellation in the quotients
    safe = xp.where(small, xp.ones_like(angle), angle)
    bent = xp.where(small, 1 - angle**2 / 6 + angle**4 / 120, sine / safe)
    bending = xp.where(small, -1 / 6 + angle**2 / 60 - angle**4 / 1680, (cosine - sine / safe) / (2 * safe**2))
    root = xp.sqrt(1 + SHARPNESS * sine**2)
    most = ((1 + SHARPNESS) / SHARPNESS) ** 0.5
    return most * bent / root, most * (bending / SHARPNESS - 0.5 * bent**2 * cosine / root**2) / root


def _compute_divided_differences(at: Array, values: Array, slopes: Array) -> Array:
    """Return (values_i - values_j) / (at_i - at_j), or the mean of both slopes if the points are too close."""
    xp = namespace(at)
    apart = at[..., :, None] - at[..., None, :]
    close = xp.abs(apart) < 1e-5 * (1 + at[..., :, None])
    means = 0.5 * (slopes[..., :, None] + slopes[..., None, :])
    differences = values[..., :, None] - values[..., None, :]
    return xp.where(close, means, differences / xp.where(close, xp.ones_like(apart), apart))

"""Coordinates in which a ball of the spectral norm has no boundary, and the similarity no pole.

Near the boundary of the positive-definite set the score grows like R = (I - What^T What)^-1, and steps in W find it
stiff. In X with What = X (I + X^T X)^(-1/2) it is R = I + X^T X: smooth, and defined for every X. To reach the boundary
of the ball, which lies just inside the pole, at a finite X, the singular values x pass through
t = sqrt(A) sin(x / sqrt(A)) first, and

    y = sqrt((1 + A) / A) t / sqrt(1 + t^2)

is the singular value of a matrix Y of the unit ball: about x near zero, 1 at x = sqrt(A) pi/2, and falling again
beyond. All functions take stacks of matrices too.
"""

from collections.abc import Callable

from unseen.arrays import Array, namespace

# A: with the margin that learning keeps from the pole, R = I + T^T T up to half a percent.
SHARPNESS = 500.0

# Within this share of the radius W itself is as good a variable as X.
CORE = 0.1

# Singular values at the boundary itself are taken for this: there, X could not feel a pull inwards.
INNERMOST = 0.999


def to_ball(X: Array) -> tuple[Array, Callable[[Array], Array]]:
    """Return the point Y of the unit ball, and the function that turns a gradient there into one with respect to X."""
    if X.shape[-1] > X.shape[-2]:
        return _transposed(X)
    xp = namespace(X)
    transpose = xp.matrix_transpose
    squares, V = xp.linalg.eigh(transpose(X) @ X)
    angle = xp.sqrt(xp.maximum(squares, xp.zeros_like(squares)) / SHARPNESS)
    bent, root = _sinc(angle), xp.sqrt(1 + SHARPNESS * xp.sin(angle) ** 2)
    stretch = ((1 + SHARPNESS) / SHARPNESS) ** 0.5 / root
    XV = X @ V
    Y = (XV * (bent * stretch)[..., None, :]) @ transpose(V)

    def pull_back(G: Array) -> Array:
        # Daleckii & Krein: the derivative of a function of X^T X is a table of divided differences in its eigenbasis.
        GV = G @ V
        inside = transpose(XV) @ GV
        inside = (inside + transpose(inside)) * _divided_differences(angle, bent, root, stretch)
        return (GV * (bent * stretch)[..., None, :] + XV @ inside) @ transpose(V)

    return Y, pull_back


def from_ball(Y: Array) -> Array:
    """Return X with `to_ball(X)` = Y; singular values of Y above `INNERMOST` are lowered to it."""
    if Y.shape[-1] > Y.shape[-2]:
        return namespace(Y).matrix_transpose(from_ball(namespace(Y).matrix_transpose(Y)))
    xp = namespace(Y)
    squares, V = xp.linalg.eigh(xp.matrix_transpose(Y) @ Y)
    tiny = xp.full_like(squares, 1e-30)
    squares = xp.maximum(squares, tiny)
    y2 = xp.minimum(squares, xp.full_like(squares, INNERMOST**2))
    t = xp.sqrt(y2 / ((1 + SHARPNESS) / SHARPNESS - y2))
    x = SHARPNESS**0.5 * xp.asin(t / SHARPNESS**0.5)
    return (Y @ V * (x / xp.sqrt(squares))[..., None, :]) @ xp.matrix_transpose(V)


def _transposed(X: Array) -> tuple[Array, Callable[[Array], Array]]:
    transpose = namespace(X).matrix_transpose
    Y, pull_back = to_ball(transpose(X))
    return transpose(Y), lambda G: transpose(pull_back(transpose(G)))


def _divided_differences(angle: Array, bent: Array, root: Array, stretch: Array) -> Array:
    """Return (f_i - f_j) / (w_i - w_j) of f = bent * stretch, as a function of w = A angle^2, without cancellation."""
    a, b = angle[..., :, None], angle[..., None, :]
    of_bent = _divided_sinc(a, b) / SHARPNESS
    # sin^2 a - sin^2 b = sin(a + b) sin(a - b)
    of_sine = _sinc(a + b) * _sinc(a - b)
    of_stretch = -of_sine * stretch[..., :, None] / (root[..., None, :] * (root[..., :, None] + root[..., None, :]))
    return 0.5 * (_sums(stretch) * of_bent + _sums(bent) * of_stretch)


def _sums(values: Array) -> Array:
    return values[..., :, None] + values[..., None, :]


def _sinc(angle: Array) -> Array:
    xp = namespace(angle)
    small = xp.abs(angle) < 1e-4
    safe = xp.where(small, xp.ones_like(angle), angle)
    return xp.where(small, 1 - angle**2 / 6, xp.sin(safe) / safe)


def _divided_sinc(a: Array, b: Array) -> Array:
    """Return (sinc a - sinc b) / (a^2 - b^2)."""
    xp = namespace(a)
    difference = a**2 - b**2
    close = xp.abs(difference) < 1e-4
    exact = (_sinc(a) - _sinc(b)) / xp.where(close, xp.ones_like(difference), difference)
    return xp.where(close, _sinc_slope(0.5 * (a**2 + b**2)), exact)


def _sinc_slope(square: Array) -> Array:
    """Return the derivative of sin(sqrt(w)) / sqrt(w)."""
    xp = namespace(square)
    small = square < 1e-3
    safe = xp.where(small, xp.ones_like(square), square)
    angle = xp.sqrt(safe)
    return xp.where(
        small, -1 / 6 + square / 60 - square**2 / 1680, (xp.cos(angle) - xp.sin(angle) / angle) / (2 * safe)
    )

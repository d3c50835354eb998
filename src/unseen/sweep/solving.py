"""Solving many problems at once: each descends by itself, and their questions are answered together."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from unseen.arrays import Array, as_float, namespace
from unseen.learning.smooth import Evaluate, Project, Questions, Smooth
from unseen.learning.solvers import Solution
from unseen.sweep.outcome import Outcome, Way, accuracies, largest_singular_value, merge_error
from unseen.sweep.problems import Floats
from unseen.sweep.stack import Numbers, Stack
from unseen.sweep.starts import Starts


@dataclass(eq=False)
class Task:
    """A problem to be solved one way.

    Attributes
    ----------
    problem : int
    setting : ndarray of shape (5,)
    spread : ndarray of shape (3,)
        See `unseen.sweep.problems.Problems`.
    way : "free" or "positive-definite"
    """

    problem: int
    setting: Floats
    spread: Floats
    way: Way = "positive-definite"


class _Descent:
    """A task on its way, with the question it waits for."""

    def __init__(self, task: Task, questions: Questions) -> None:
        self.task = task
        self.left = False  # whether a step led out of the positive-definite set
        self.solution: Solution | None = None
        self._questions = questions
        self.question: Evaluate | Project = next(questions)

    def answer(self, answer: object) -> None:
        try:
            self.question = self._questions.send(answer)
        except StopIteration as end:
            self.solution = end.value


def solve(
    stack: Stack, tasks: Iterable[Task], width: int, *, solver: Smooth, starts: Starts | None = None
) -> Iterator[Outcome]:
    """Solve the tasks, `width` at a time, and yield outcomes as they come: the way asked for, and "free" with it.

    A positive-definite descent that never meets the boundary takes the very steps of a free one, so it stands for
    both. Another is followed by a free descent of its own, always from zeros: where a local optimum depends on the
    start, it is that of the ordinary estimator.
    """
    waiting, active = deque(tasks), list[_Descent]()
    while waiting or active:
        while waiting and len(active) < width:
            active.append(_begin(stack, waiting.popleft(), solver, starts))
        _answer_projections(stack, active)
        _answer_evaluations(stack, active)
        for descent in [descent for descent in active if descent.solution is not None]:
            active.remove(descent)
            task = descent.task
            yield _outcome(stack, task, descent.solution)
            if task.way == "positive-definite":
                free = Task(task.problem, task.setting, task.spread, "free")
                if descent.left:
                    waiting.appendleft(free)
                else:
                    yield _outcome(stack, free, descent.solution)


def _begin(stack: Stack, task: Task, solver: Smooth, starts: Starts | None) -> _Descent:
    model = stack.material.train.psi
    W = None if starts is None or task.way == "free" else starts.find(stack, task.setting)
    if W is not None:
        return _Descent(task, solver.descend(W))
    zeros = namespace(model).zeros(stack.shape, dtype=model.dtype, device=model.device)
    descent = _Descent(task, solver.descend(zeros))
    known = stack.at_zero(task.setting)
    if known is not None:
        descent.answer(known)
    return descent


def _answer_projections(stack: Stack, active: list[_Descent]) -> None:
    """Answer until every descent that goes on asks for a value."""
    while True:
        asking = [d for d in active if d.solution is None and isinstance(d.question, Project)]
        if not asking:
            return
        kept = [d for d in asking if d.task.way == "positive-definite"]
        answers = stack.project(*_stacked(kept)) if kept else []
        found: dict[_Descent, Array | None] = dict(zip(kept, answers, strict=True))
        for descent in asking:
            projected = found.get(descent)
            descent.left |= projected is not None
            descent.answer(descent.question.W if projected is None else projected)


def _answer_evaluations(stack: Stack, active: list[_Descent]) -> None:
    asking = [d for d in active if d.solution is None]
    if not asking:
        return
    # Beyond the poles of H scores may overflow; the line search then turns back.
    with np.errstate(all="ignore"):
        values, gradients = stack.evaluate(*_stacked(asking))
    for at, descent in enumerate(asking):
        descent.answer((as_float(values[at]), gradients[at, :, :]))


def _stacked(descents: list[_Descent]) -> tuple[Numbers, Array]:
    W = namespace(descents[0].question.W).stack([descent.question.W for descent in descents])
    return Numbers.of(np.stack([descent.task.setting for descent in descents]), W), W


def _outcome(stack: Stack, task: Task, solution: Solution) -> Outcome:
    per_class, per_image = accuracies(stack, task.setting, solution.W)
    return Outcome(
        problem=task.problem,
        way=task.way,
        per_class=per_class,
        per_image=per_image,
        objective=solution.value,
        converged=solution.converged,
        iterations=len(solution.history) - 1,
        sigma=largest_singular_value(task.setting, solution.W),
        merge_error=merge_error(stack, task.setting, solution.W, task.spread),
    )

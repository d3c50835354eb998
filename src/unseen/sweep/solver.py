"""Solving many problems at once: each descends by itself, and their questions are answered together."""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.learning.solvers.base import Solution
from unseen.learning.solvers.descent.questions import (
    Evaluate,
    EvaluateAt,
    FindCoordinates,
    Look,
    Project,
    Question,
    Questions,
)
from unseen.learning.solvers.smooth import Smooth
from unseen.sweep.batched_objective import BatchedObjective, ProblemNumbers
from unseen.sweep.problems import DistinctProblems
from unseen.sweep.results import WAYS, Outcome, Way, accuracies, largest_singular_value, merge_error
from unseen.sweep.settings import Floats
from unseen.sweep.shortcuts import WarmStarts, solution_near_zero
from unseen.utils.arrays import Array, namespace, to_numpy


@dataclass(frozen=True, eq=False)
class Task:
    """A problem to be solved, or a part of one.

    Attributes
    ----------
    problem : int
    setting : ndarray of shape (5,)
    spread : ndarray of shape (3,)
        See `unseen.sweep.problems.DistinctProblems`.
    ways : tuple of "free" and "positive-definite"
        The ways to learn it.
    """

    problem: int
    setting: Floats
    spread: Floats
    ways: tuple[Way, ...] = WAYS


def make_tasks(problems: DistinctProblems, numbers: Iterable[int], ways: tuple[Way, ...] = WAYS) -> list[Task]:
    """Return the tasks of problems or parts with these numbers."""
    return [Task(int(at), problems.settings[at], problems.spread[at], ways) for at in numbers]


class _Descent:
    """A task on its way, with the question it waits for.

    Two descents of one task take the same steps for as long as they are given the same answers. So the second follows
    the first, and is told what that was told, until an answer differs.
    """

    def __init__(self, task: Task, way: Way, questions: Questions, leader: "_Descent | None" = None) -> None:
        self.task, self.way, self.leader = task, way, leader
        self.solution: Solution | None = None
        self._for_follower: deque[Any] | None = None
        if leader is not None:
            leader._for_follower = deque()
        self._questions = questions
        self.question: Question = next(questions)

    def answer(self, answer: Any) -> None:
        if isinstance(self.question, Evaluate) and self._for_follower is not None:
            self._for_follower.append(answer)
        try:
            self.question = self._questions.send(answer)
        except StopIteration as end:
            self.solution = end.value

    @property
    def follows(self) -> bool:
        """Whether its next evaluation is one of the descent that it follows."""
        return self.leader is not None and isinstance(self.question, Evaluate)

    def follow(self) -> bool:
        """Take the next answer of the descent that it follows, if there is one."""
        told = None if self.leader is None or not self.follows else self.leader._for_follower
        if not told:
            return False
        self.answer(told.popleft())
        return True

    def leave(self) -> None:
        """Go another way than the descent that it has followed."""
        if self.leader is not None:
            self.leader._for_follower = None
            self.leader = None


def solve(
    objective: BatchedObjective,
    tasks: Iterable[Task],
    width: int,
    *,
    solver: Smooth,
    warm_starts: WarmStarts | None = None,
) -> Iterator[Outcome]:
    """Solve the tasks, `width` at a time, and yield an outcome for each way of each as they come.

    Two descents of a task go side by side. As long as the positive-definite set does not hold the one back they
    take the very same steps, and what one was told the other is not asked for.
    """
    waiting, active = deque(tasks), list[_Descent]()
    while waiting or active:
        while waiting and len(active) < 2 * width:
            task = waiting.popleft()
            solution = solution_near_zero(objective, task.setting)
            if solution is None:
                active.extend(_begin(objective, task, solver, warm_starts))
                continue
            outcome = _outcome(objective, task, task.ways[0], solution)
            yield from (replace(outcome, way=way) for way in task.ways)
        _answer_small_questions(objective, active)
        _answer_evaluations(objective, active)
        ended = [(descent, descent.solution) for descent in active if descent.solution is not None]
        active = [descent for descent in active if descent.solution is None]
        for descent, solution in ended:
            yield _outcome(objective, descent.task, descent.way, solution)


def _begin(objective: BatchedObjective, task: Task, solver: Smooth, warm_starts: WarmStarts | None) -> list[_Descent]:
    model = objective.data.train.psi
    W = None if warm_starts is None else warm_starts.find(objective, task.setting)
    known = objective.at_zero(task.setting) if W is None else None
    if W is None:
        W = namespace(model).zeros(objective.shape, dtype=model.dtype, device=model.device)
    preconditioner = objective.precondition(task.setting)
    descents = list[_Descent]()
    for way in task.ways:
        leader = descents[0] if descents else None
        descents.append(_Descent(task, way, solver.descend(W, preconditioner=preconditioner), leader))
    if known is not None:
        descents[0].answer(known)
    return descents


def _answer_small_questions(objective: BatchedObjective, active: list[_Descent]) -> None:
    """Answer until every descent that goes on asks for a value that is not known yet."""
    while True:
        asking = [d for d in active if d.solution is None]
        small = [(d, d.question) for d in asking if isinstance(d.question, Project | FindCoordinates)]
        kept = [(d, q) for d, q in small if isinstance(q, Project) and d.way == "positive-definite"]
        inside = objective.is_in_core(*_stacked([d for d, _ in kept], [q.W for _, q in kept])) if kept else []
        left = {d for (d, _), stays in zip(kept, inside, strict=True) if not stays}
        looking = [(d, d.question.array) for d in asking if isinstance(d.question, Look)]
        for (descent, _), numbers in zip(looking, _look([array for _, array in looking]), strict=True):
            descent.answer(numbers)
        for descent, question in small:
            if isinstance(question, FindCoordinates):
                descent.answer(objective.coordinates(descent.task.setting, question.W))
            elif descent in left:
                descent.leave()
                descent.answer(None)
            else:
                descent.answer(question.W)
        told = [d.follow() for d in asking if d.solution is None]
        if not small and not looking and not any(told):
            return


def _look(arrays: Sequence[Array]) -> Iterator[NDArray[np.float64]]:
    """Yield the numbers of arrays, which a device is asked for only once."""
    if not arrays:
        return
    xp = namespace(arrays[0])
    numbers = to_numpy(xp.concat([xp.reshape(array, (-1,)) for array in arrays]))
    ends = np.cumsum([math.prod(array.shape) for array in arrays])
    for array, own in zip(arrays, np.split(numbers, ends[:-1]), strict=True):
        yield own.reshape(array.shape)


def _answer_evaluations(objective: BatchedObjective, active: list[_Descent]) -> None:
    """Evaluate all that is asked for in one pass, whether at weights or at their coordinates."""
    asking = [d for d in active if d.solution is None and not d.follows]
    plain = [(d, d.question.W) for d in asking if isinstance(d.question, Evaluate)]
    bent = [(d, d.question.X) for d in asking if isinstance(d.question, EvaluateAt)]
    if not asking:
        return
    descents, parts = [d for d, _ in plain + bent], [W for _, W in plain]
    if bent:
        points, pull_back = objective.point(*_stacked(*zip(*bent, strict=True)))
        parts.extend(points[at, :, :] for at in range(len(bent)))
    numbers, W = _stacked(descents, parts)
    # Beyond the poles of H scores may overflow; the line search then turns back.
    with np.errstate(all="ignore"):
        values, gradients = objective.evaluate(numbers, W)
    values = to_numpy(values)  # all at once, for each look at a number on a device waits for it
    for at, (descent, _) in enumerate(plain):
        descent.answer((float(values[at]), gradients[at, :, :]))
    if bent:
        slopes = pull_back(gradients[len(plain) :, :, :])
        for at, (descent, _) in enumerate(bent):
            descent.answer((points[at, :, :], float(values[len(plain) + at]), slopes[at, :, :]))


def _stacked(descents: Sequence[_Descent], weights: Sequence[Array]) -> tuple[ProblemNumbers, Array]:
    W = namespace(weights[0]).stack(list(weights))
    return ProblemNumbers.of(np.stack([descent.task.setting for descent in descents]), W), W


def _outcome(objective: BatchedObjective, task: Task, way: Way, solution: Solution) -> Outcome:
    per_class, per_image = accuracies(objective, task.setting, solution.W)
    return Outcome(
        problem=task.problem,
        way=way,
        per_class=per_class,
        per_image=per_image,
        objective=solution.value,
        converged=solution.converged,
        iterations=len(solution.history) - 1,
        sigma=largest_singular_value(task.setting, solution.W),
        merge_error=merge_error(objective, task.setting, solution.W, task.spread),
    )

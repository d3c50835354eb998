from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from unseen.data import make_zero_shot
from unseen.evaluation import evaluate, paired_test
from unseen.models import ESZSL, BilinearSVM
from unseen.utils.errors import InputError

DATA = make_zero_shot(n_seen=10, n_unseen=9, n_per_class=10, noise=1.2, attribute_noise=0.3, random_state=0)
RIDGE = evaluate(ESZSL(), DATA)
# The seed decides which rows the solver sees first, so that trials differ.
SVM, OTHER = (
    evaluate(BilinearSVM(lam=lam, init="random", solver="stochastic"), DATA, trials=3) for lam in (0.1, 100.0)
)


def test_over_classes_the_recalls_are_paired():
    found = paired_test(RIDGE, SVM)
    differences = RIDGE.per_class("recall") - SVM.per_class("recall")
    assert found.p_value == pytest.approx(stats.wilcoxon(differences).pvalue)
    assert found.difference == pytest.approx(differences.mean())
    assert (found.n, found.over) == (9, "classes")
    t = paired_test(RIDGE, SVM, test="t")
    assert t.p_value == pytest.approx(stats.ttest_rel(RIDGE.per_class("recall"), SVM.per_class("recall")).pvalue)


def test_over_trials_the_metric_is_paired_by_seed():
    found = paired_test(SVM, OTHER, over="trials", metric="mean per-class accuracy", test="t")
    values = [result.values("mean per-class accuracy") for result in (SVM, OTHER)]
    assert found.p_value == pytest.approx(stats.ttest_rel(*values).pvalue)
    assert found.n == 3


def test_a_result_does_not_differ_from_itself():
    assert paired_test(SVM, SVM).p_value == 1.0
    assert paired_test(SVM, SVM, over="trials").p_value == 1.0


def test_a_constant_difference_is_certain_by_t():
    better = replace(
        SVM, trials=tuple(replace(t, metrics={m: v + 0.25 for m, v in t.metrics.items()}) for t in SVM.trials)
    )
    found = paired_test(better, replace(SVM, trials=SVM.trials), over="trials", test="t")
    assert found.p_value < 1e-6
    assert found.difference == pytest.approx(0.25)


def test_outcome_reads_as_a_sentence():
    text = str(paired_test(RIDGE, SVM))
    assert text.startswith("ESZSL minus BilinearSVM: ")
    assert "9 classes" in text
    assert "Wilcoxon signed-rank test" in text


def test_unlike_results_get_a_sentence():
    with pytest.raises(InputError, match="different settings, 'standard' and 'retrieval'"):
        paired_test(RIDGE, evaluate(ESZSL(), DATA, "retrieval"))
    with pytest.raises(InputError, match="different datasets"):
        paired_test(RIDGE, replace(RIDGE, dataset="other"))
    more = replace(RIDGE.candidates, support=RIDGE.candidates.support + 1)
    with pytest.raises(InputError, match="different test images"):
        paired_test(RIDGE, replace(RIDGE, candidates=more))
    with pytest.raises(InputError, match="have 1 and 3 trials"):
        paired_test(RIDGE, SVM, over="trials")
    with pytest.raises(InputError, match="test='sign' is not known"):
        paired_test(RIDGE, SVM, test="sign")
    with pytest.raises(InputError, match="over='images' is not known"):
        paired_test(RIDGE, SVM, over="images")


def test_p_values_are_uniform_when_nothing_differs():
    rng = np.random.default_rng(0)
    below = []
    for _ in range(60):
        recalls = [dict(RIDGE.trials[0].per_class) | {"recall": rng.random(9)} for _ in range(2)]
        pair = [replace(RIDGE, trials=(replace(RIDGE.trials[0], per_class=recall),)) for recall in recalls]
        below.append(paired_test(*pair).p_value < 0.2)
    assert 0.05 < np.mean(below) < 0.4

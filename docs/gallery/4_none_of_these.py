"""How sure, and none of these.

Probabilities that mean something on classes never seen, and answers withheld where they are too low.
"""

#: `Calibrated` hides seen classes in turn, so that it knows how a model does on classes that it has not seen.
from unseen import JFA, Calibrated, load_dataset
from unseen.confidence import CoverageCurve, answers
from unseen.report import coverage_figure

data = load_dataset("digit-pairs", n_train=6)
model = Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.seen_table)

#: What to expect at a threshold of 0.8, before any unseen picture is looked at:
print(model.curve_.at(0.8))

#: How high must it be for 97 of 100 answers to be right?
threshold = model.curve_.threshold_for(accuracy=0.97)
found = answers(model, data.X_test_unseen, data.unseen_table, top=3, abstain=threshold)
labels = found.best()  # None where no candidate is likely enough
given = [(label, true) for label, true in zip(labels, data.y_test_unseen, strict=True) if label is not None]
n_right = sum(label == true for label, true in given)
print(f"from {threshold:.2f} on: {len(given)} of {len(labels)} answered, {n_right} of these right")

#: The curve of all thresholds, expected and measured. Figures need `pip install "unseen[figures]"`.
chances = model.predict_proba(data.X_test_unseen, classes=data.unseen_table)
right = data.unseen_table.labels[chances.argmax(axis=1)] == data.y_test_unseen
drawn = coverage_figure(model.curve_, CoverageCurve.of(chances.max(axis=1), right, len(data.unseen_table)))
print(drawn.description)
drawn.figure.savefig("coverage.png")

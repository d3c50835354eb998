"""First steps.

Learn from pictures of 70 two-digit numbers and recognise 30 numbers that were never shown.
"""

#: The data come with the package: two handwritten digits side by side, 128 pixels. A class is described by which digit
#: stands in which place.
from unseen import JFA, evaluate, load_dataset

data = load_dataset("digit-pairs", random_state=0)
print(data)

#: `fit` sees training pictures and the descriptions of their classes, nothing else.
model = JFA().fit(data.X_train, data.y_train, classes=data.seen_table)

#: The candidates are named when predicting: any classes that can be described, in any number.
labels = model.predict(data.X_test_unseen, classes=data.unseen_table)
print("right:", (labels == data.y_test_unseen).mean())

#: A class that no one has thought of before needs a description only. Of four candidates, described by hand:
candidates = {
    f"{tens}{ones}": [float(at == tens) for at in range(10)] + [float(at == ones) for at in range(10)]
    for tens, ones in [(0, 2), (4, 2), (9, 9), (0, 7)]
}
print(model.predict(data.X_test_unseen[:5], classes=candidates), "are", data.y_test_unseen[:5])

#: `evaluate` measures under a protocol and says how sure the numbers are.
print(evaluate(JFA(), data, trials=2).to_text())

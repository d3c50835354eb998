"""Why this class.

Which attributes of a class a picture moves, and which way: an estimate of this individual's own attributes.
"""

#: JFA adapts the description of a class to a picture; the displacement is the explanation.
from unseen import JFA, load_dataset
from unseen.report import explain
from unseen.report.figures.explanation import draw

data = load_dataset("digit-pairs")
model = JFA().fit(data.X_train, data.y_train, classes=data.seen_table)

#: The first picture of an unseen class that the model gets wrong:
labels = model.predict(data.X_test_unseen, classes=data.unseen_table)
row = int((labels != data.y_test_unseen).argmax())
answer, true = labels[row], data.y_test_unseen[row]
print("taken for", answer, "is", true)

#: What the picture does to the description of its true class: attributes that move up are found in the picture
#: more than in the average one, those that move down less.
found = explain(model, data.X_test_unseen[row], true, classes=data.unseen_table)
for line in found.rows(top=4):
    print(f"{line['attribute']:10} described {line['described']:.0f}, moved by {line[found.effect_name]:+.2g}")

#: The same as a bar chart. Figures need `pip install "unseen[figures]"`.
draw(found, top=8).savefig("why.svg")

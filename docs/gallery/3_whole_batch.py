"""A whole batch at once.

When all the pictures to recognise are there together, their groups correct the answers.
"""

#: Any model can be refined. What the refinement needs of seen classes it learns in `fit`.
from unseen import JFA, load_dataset
from unseen.transduction import PST, SPZSR

#: Few training pictures make the model alone unsure.
data = load_dataset("digit-pairs", n_train=5)
alone = JFA().fit(data.X_train, data.y_train, classes=data.seen_table)

#: The features of the whole batch are used, its labels never: compare only with other transductive numbers.
for model in (alone, SPZSR(JFA(), n_runs=10, random_state=0), PST(JFA())):
    if model is not alone:
        model.fit(data.X_train, data.y_train, classes=data.seen_table)
    labels = model.predict(data.X_test_unseen, classes=data.unseen_table)
    print(f"{type(model).__name__:6} {(labels == data.y_test_unseen).mean():.1%}")

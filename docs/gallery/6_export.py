"""Elsewhere: model files and ONNX.

One file that loads without running anything, and one that other runtimes understand.
"""

#: A model, its preparation and its calibration go into one file.
import numpy as np

import unseen
from unseen.features import UnitNorm
from unseen.files.export import export_onnx
from unseen.models import Calibrated, Prepared

data = unseen.load_dataset("digit-pairs")
model = Calibrated(Prepared(unseen.JFA(), features=UnitNorm()), random_state=0)
model.fit(data.X_train, data.y_train, classes=data.seen_table)
unseen.save(model, "digits.unseen", force=True)

#: Loading executes nothing from the file; what comes back scores bit for bit the same.
again = unseen.load("digits.unseen")
X, table = data.X_test_unseen, data.unseen_table
assert np.array_equal(again.decision_function(X, classes=table), model.decision_function(X, classes=table))

#: ONNX keeps the candidates open: features and descriptions go in, scores and probabilities come out. It needs
#: `pip install "unseen[onnx]"`, and running it a runtime such as onnxruntime.
export_onnx(model, "digits.onnx", force=True)

import onnxruntime  # noqa: E402

session = onnxruntime.InferenceSession("digits.onnx", providers=["CPUExecutionProvider"])
inputs = {"features": X.astype(np.float32), "classes": table.vectors.astype(np.float32)}
scores, chances = session.run(["scores", "probabilities"], inputs)
print("same answers:", (table.labels[scores.argmax(axis=1)] == model.predict(X, classes=table)).mean())

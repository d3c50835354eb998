"""Draw the pictures of the guides: `make pictures`."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from page_pictures import report_picture, studio_animation, studio_pictures
from sklearn.metrics import balanced_accuracy_score

from unseen import JFA, ZeroShotDataset, load_dataset
from unseen.data import PICTURE_SHAPE
from unseen.models import BilinearSVM, ZeroShotClassifier
from unseen.utils.figures import BLUE, GREEN, VERMILLION

IMAGES = Path(__file__).parent / "images"
LIGHT_GREY = "#999999"


def digit_pairs() -> None:
    """Unseen numbers with JFA's answers, beside the accuracies."""
    data = load_dataset("digit-pairs", random_state=0)
    models = {"JFA": JFA(), "bilinear": BilinearSVM()}
    for model in models.values():
        model.fit(data.X_train, data.y_train, classes=data.classes)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 2.7), width_ratios=[2.4, 1], layout="constrained")
    _draw_answers(left, models["JFA"], data)
    _draw_accuracies(right, models, data)
    IMAGES.mkdir(exist_ok=True)
    figure.savefig(IMAGES / "digit-pairs.png", dpi=110)


def _draw_answers(
    axes: plt.Axes, model: ZeroShotClassifier, data: ZeroShotDataset, rows: int = 3, columns: int = 7
) -> None:
    shown = np.random.default_rng(3).choice(len(data.test_unseen), rows * columns, replace=False)
    X, y = data.X_test_unseen[shown], data.y_test_unseen[shown]
    answers = model.predict(X, classes=data.unseen_table)
    height, width = PICTURE_SHAPE
    for index, (picture, answer, truth) in enumerate(zip(X, answers, y, strict=True)):
        x, top = (index % columns) * (width + 4), (index // columns) * (height + 5)
        axes.imshow(picture.reshape(PICTURE_SHAPE), cmap="gray_r", extent=(x, x + width, top + height, top))
        text = f"{answer}" if answer == truth else f"{answer} (is {truth})"
        axes.text(x + width / 2, top + height + 2.4, text, ha="center", color=GREEN if answer == truth else VERMILLION)
    axes.set(xlim=(-1, columns * (width + 4)), ylim=(rows * (height + 5), -1))
    axes.set_title("Numbers never shown in training, and JFA's answers")
    axes.axis("off")


def _draw_accuracies(axes: plt.Axes, models: dict[str, ZeroShotClassifier], data: ZeroShotDataset) -> None:
    accuracies = {
        name: balanced_accuracy_score(data.y_test_unseen, model.predict(data.X_test_unseen, classes=data.unseen_table))
        for name, model in models.items()
    }
    accuracies["chance"] = 1 / len(data.unseen_classes)
    bars = axes.barh(list(accuracies), list(accuracies.values()), color=[BLUE, BLUE, LIGHT_GREY])
    axes.bar_label(bars, fmt="{:.1%}", padding=3)
    axes.set(xlim=(0, 1.25), xticks=[])
    axes.invert_yaxis()
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.set_title("Accuracy on 30 unseen classes")


if __name__ == "__main__":
    digit_pairs()
    report_picture()
    studio_pictures()
    studio_animation()

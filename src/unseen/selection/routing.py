"""Asking scikit-learn's metadata routing for the class table."""

from typing import ClassVar


class TakesClasses:
    """Mixin of estimators that are handed `classes` by metadata routing without being told to ask for it."""

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__decision_function: ClassVar[dict[str, bool]] = {"classes": True}

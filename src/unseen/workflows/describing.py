"""Describe a fitted model: its parts, classes and parameters."""

from dataclasses import asdict
from typing import Any

from unseen.models import Blend
from unseen.models.base import core_of
from unseen.models.wrappers.calibrated import calibration_of
from unseen.models.wrappers.preparation import Preparation
from unseen.utils.errors import shorten
from unseen.utils.wrapping import list_refinements
from unseen.workflows.fitting import AnyModel, open_model

# Thresholds at which the coverage curve is shown.
_SHOWN = (0.0, 0.5, 0.8, 0.9)


def describe_model(model: AnyModel) -> dict[str, Any]:
    """Return the facts about a fitted model as plain values.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator

    Examples
    --------
    >>> from unseen.workflows import fit
    >>> facts = describe_model(fit("digit-pairs", "eszsl", calibrate=False))
    >>> facts["model"], len(facts["seen_classes"]), facts["confidence"]
    ('ESZSL', 70, None)
    """
    file = open_model(model)
    core, table, seen = core_of(file.model), file.model.table_, file.model.classes_.tolist()
    return {
        "model": type(core).__name__,
        "parameters": _list_parameters(core),
        "parts": _describe_parts(core),
        "preparation": _describe_preparation(file.model),
        "refinement": _describe_refinement(file.model),
        "features": file.model.n_features_in_,
        "seen_classes": seen,
        "other_classes": [label for label in table if label not in set(seen)],
        "attributes": table.width,
        "attribute_names": None if table.attributes is None else list(table.attributes),
        "confidence": _describe_confidence(file.model),
        "encoder": file.encoder,
        "selection": file.selection,
        "choice": file.choice,
        "versions": file.versions,
    }


def format_facts(facts: dict[str, Any]) -> dict[str, str]:
    """Format facts for people: counts instead of long lists, and only the facts that apply.

    >>> format_facts({"seen_classes": ["ox", "cow"], "encoder": None})
    {'seen classes': "2: 'ox', 'cow'"}
    """
    return {name.replace("_", " "): _format_fact(name, value) for name, value in facts.items() if value is not None}


def _list_parameters(estimator: Any) -> dict[str, Any]:
    # The wrapped model is described by its own facts.
    given = estimator.get_params(deep=False).items()
    return {name: _to_plain(value) for name, value in given if name != "model"}


def _to_plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_to_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else _to_one_line(value)


def _describe_parts(core: Any) -> dict[str, dict[str, float | None]] | None:
    """Return the weight of each part of a blend, and its accuracy alone on held-out seen classes."""
    if not isinstance(core, Blend):
        return None
    alone = core.part_accuracies_ if core.part_accuracies_ is not None else [None] * len(core.weights_)
    found = zip(core.named_models, core.weights_.tolist(), alone, strict=True)
    return {
        name: {"weight": weight, "held_out_accuracy": None if accuracy is None else float(accuracy)}
        for name, weight, accuracy in found
    }


def _describe_preparation(model: Any) -> dict[str, str | None] | None:
    found = Preparation.of(model)
    sides = {
        name: ", ".join(map(_to_one_line, steps)) or None
        for name, steps in (("features", found.features), ("descriptions", found.descriptions))
    }
    return sides if any(sides.values()) else None


def _describe_refinement(model: Any) -> dict[str, dict[str, Any]] | None:
    return {type(layer).__name__: _list_parameters(layer) for layer in list_refinements(model)} or None


def _describe_confidence(model: Any) -> dict[str, Any] | None:
    found = calibration_of(model)
    if found is None:
        return None
    curve = found.curve_
    return {
        "temperature": found.temperature_,
        "seen_penalty": found.seen_penalty_,
        "candidates": curve.n_candidates,
        "held_out": asdict(found.held_out_) if found.held_out_.is_estimate else None,
        "curve": [dict(threshold=at, **curve.at(at)._asdict()) for at in _SHOWN if curve.at(at).coverage],
    }


def _say_held_out(confidence: dict[str, Any]) -> str:
    found = confidence["held_out"]
    if found is None:
        return "too few rows to tell what to expect, but "
    return (
        f"among {confidence['candidates']} held-out classes {found['accuracy']:.1%} right "
        f"({found['low']:.1%} to {found['high']:.1%}), "
    )


def _to_one_line(value: Any) -> str:
    return " ".join(repr(value).split())


def _format_fact(name: str, value: Any) -> str:
    if name in ("seen_classes", "other_classes", "attribute_names"):
        return f"{len(value)}: {shorten(value)}" if value else "none"
    if name == "confidence":
        expected = (
            f"{at['coverage']:.0%} answered, {at['accuracy']:.1%} right at {at['threshold']:g}" for at in value["curve"]
        )
        penalty = value["seen_penalty"]
        penalised = "" if penalty is None else f"seen classes penalised by {penalty:.4g} among unseen ones; "
        return f"temperature {value['temperature']:.4g}; {penalised}{_say_held_out(value)}" + "; ".join(expected)
    if name == "parts":
        return "; ".join(_format_part(part, facts) for part, facts in value.items())
    if name == "refinement":
        return "; ".join(f"{kind}: {_format_fact('parameters', parameters)}" for kind, parameters in value.items())
    if name == "selection":
        chosen = value["grid"][value["chosen"]]
        return f"{chosen} of {len(value['grid'])} points, {value['score']:.1%} on held-out seen classes"
    if name == "choice":
        return f"effort {value['effort']}. " + " ".join(value["said"])
    if isinstance(value, dict):
        return ", ".join(f"{key}={inner}" for key, inner in value.items())
    return str(value)


def _format_part(name: str, facts: dict[str, Any]) -> str:
    accuracy = facts["held_out_accuracy"]
    alone = "" if accuracy is None else f" (alone {accuracy:.1%} per class on held-out seen classes)"
    return f"{name} {facts['weight']:.0%}{alone}"

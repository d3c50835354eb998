"""`unseen info`: what is in a model file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unseen.cli.errors import explained

if TYPE_CHECKING:
    from unseen.files import ModelFile

# Thresholds at which the coverage curve is shown.
_SHOWN = (0.0, 0.5, 0.8, 0.9)


def info(
    model: Annotated[Path, typer.Argument(help="A model file, as `unseen fit` writes it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print for programs.")] = False,
) -> None:
    """Show what a model file holds: model, preparation, classes, confidence, selection, versions.

    Examples: `unseen info birds.unseen`, `unseen info birds.unseen --json`
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from unseen.files import read_model_file

    with explained():
        facts = described(read_model_file(model))
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    table = Table("", "", title=str(model), title_justify="left", show_header=False, box=None)
    for name, value in facts.items():
        if value is not None:
            table.add_row(name.replace("_", " "), Text(as_text(name, value)))
    Console().print(table)


def described(file: "ModelFile") -> dict[str, Any]:
    """Return what a model file holds as plain values, wrappers taken apart."""
    from unseen.models.base import core_of

    core, table = core_of(file.model), file.model.table_
    return {
        "model": type(core).__name__,
        "parameters": _parameters(core),
        "preparation": _preparation(file.model),
        "refinement": _refinement(file.model),
        "features": file.model.n_features_in_,
        "seen_classes": file.model.classes_.tolist(),
        "other_classes": [label for label in table if label not in set(file.model.classes_.tolist())],
        "attributes": table.width,
        "attribute_names": None if table.attributes is None else list(table.attributes),
        "confidence": _confidence(file.model),
        "encoder": file.encoder,
        "selection": file.selection,
        "versions": file.versions,
    }


def _preparation(model: Any) -> dict[str, str | None] | None:
    from unseen.models.wrappers.preparation import Preparation

    found = Preparation.of(model)
    sides = {
        name: ", ".join(map(_one_line, steps)) or None
        for name, steps in (("features", found.features), ("descriptions", found.descriptions))
    }
    return sides if any(sides.values()) else None


def _refinement(model: Any) -> dict[str, Any] | None:
    from unseen.utils.wrapping import refinements

    return {type(layer).__name__: _parameters(layer) for layer in refinements(model)} or None


def _confidence(model: Any) -> dict[str, Any] | None:
    from unseen.models.wrappers.calibrated import calibration_of

    found = calibration_of(model)
    if found is None:
        return None
    curve = found.curve_
    return {
        "temperature": found.temperature_,
        "candidates": curve.n_candidates,
        "curve": [dict(threshold=at, **curve.at(at)._asdict()) for at in _SHOWN if curve.at(at).coverage],
    }


def _parameters(estimator: Any) -> dict[str, Any]:
    # A model inside has its own place among the facts.
    return {name: _value(value) for name, value in estimator.get_params(deep=False).items() if name != "model"}


def _value(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str | list | tuple) else _one_line(value)


def _one_line(value: Any) -> str:
    return " ".join(repr(value).split())


def as_text(name: str, value: Any) -> str:
    """Write a fact for people: counts instead of long lists."""
    from unseen.utils.errors import shortened

    if name in ("seen_classes", "other_classes", "attribute_names"):
        return f"{len(value)}: {shortened(value)}" if value else "none"
    if name == "confidence":
        expected = (
            f"{at['coverage']:.0%} answered, {at['accuracy']:.1%} right at {at['threshold']:g}" for at in value["curve"]
        )
        return f"temperature {value['temperature']:.4g}; among {value['candidates']} held-out classes " + "; ".join(
            expected
        )
    if name == "refinement":
        return "; ".join(f"{kind}: {as_text('parameters', parameters)}" for kind, parameters in value.items())
    if name == "selection":
        chosen = value["grid"][value["chosen"]]
        return f"{chosen} of {len(value['grid'])} points, {value['score']:.1%} on held-out seen classes"
    if isinstance(value, dict):
        return ", ".join(f"{key}={inner}" for key, inner in value.items())
    return str(value)

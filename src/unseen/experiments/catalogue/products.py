"""Make experiments as products: each system on each ground, in each setting that both have."""

from collections.abc import Iterator
from dataclasses import replace

from unseen.experiments.catalogue.grounds import Ground, shipped_grounds
from unseen.experiments.catalogue.merging import merge
from unseen.experiments.catalogue.references import find_references
from unseen.experiments.catalogue.systems import System, list_systems, load_system
from unseen.experiments.spec import Experiment, make_experiment


def make_product(system: System, ground: Ground, setting: str) -> Experiment:
    """Return the experiment of a system on a ground: the ground's parts, the system's over them, and published numbers.

    Nothing is selected for a system without a selection of its own.

    >>> from unseen.experiments.catalogue.grounds import shipped_grounds
    >>> make_product(load_system("eszsl"), shipped_grounds()["cub"], "generalized").name
    'cub-generalized-eszsl'
    """
    place = ground.settings[setting]
    own = system.merge_parts(ground, setting)
    note = str(own.pop("note", ""))
    parts = merge(place.parts, own)
    if "selection" not in own:
        parts.pop("selection", None)
    parts["title"] = f"{system.title} on {place.title}"
    experiment = make_experiment(parts, f"{system.where} on {ground.key}", f"{place.name}-{system.key}")
    split = str(experiment.data.options.get("split", ""))
    return replace(experiment, published=find_references(system.published, ground, setting, split, note))


def list_products() -> Iterator[tuple[str, str]]:
    """Yield the name of each product with the key of its system."""
    for key in list_systems():
        for ground in shipped_grounds().values():
            for setting in load_system(key).settings:
                if setting in ground.settings:
                    yield f"{ground.settings[setting].name}-{key}", key


def find_product(name: str) -> Experiment | None:
    """Return the product of this name, or None; reads no other system's file."""
    for ground in shipped_grounds().values():
        for setting, place in ground.settings.items():
            key = name.removeprefix(f"{place.name}-")
            if key != name and key in list_systems() and setting in load_system(key).settings:
                return make_product(load_system(key), ground, setting)
    return None

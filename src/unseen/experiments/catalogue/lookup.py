"""Look up experiments by name: files of the package, systems on grounds, and your own files."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from unseen.experiments.catalogue.products import find_product, list_products
from unseen.experiments.catalogue.systems import list_systems
from unseen.experiments.paper_tables.table import shipped_tables
from unseen.experiments.spec import Experiment, read_experiment
from unseen.experiments.yaml_file import list_yaml_files
from unseen.utils.registry import make_unknown_error

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FOLDER = files("unseen.experiments") / "yaml"


def shipped_experiments() -> dict[str, "Traversable"]:
    """Return the experiments that come with the package by name, each with its file or that of its system.

    >>> "digit-pairs-jfa" in shipped_experiments()
    True
    """
    systems = list_systems()
    found = {name: systems[key] for name, key in list_products()} | list_yaml_files(FOLDER)
    return dict(sorted(found.items()))


def load_experiment(name: str) -> Experiment:
    """Read an experiment of the package by name, or one of your own by the path of its YAML file.

    A file of this name comes before a system on a ground.

    >>> load_experiment("digit-pairs-jfa").model.name
    'JFA'
    """
    whole = list_yaml_files(FOLDER)
    if name in whole:
        return read_experiment(whole[name], name)
    if name.endswith((".yaml", ".yml")):
        return read_experiment(Path(name), Path(name).stem)
    product = find_product(name)
    if product is None:
        known = [*shipped_tables(), *shipped_experiments()]
        raise make_unknown_error(name, known, "experiment", "the path of a .yaml file")
    return product

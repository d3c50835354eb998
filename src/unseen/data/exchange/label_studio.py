"""Write and read tasks of Label Studio: pictures with predictions, and exports with annotations.

A task is ``{"data": {"image": address}, "predictions": [...], "annotations": [...]}``; a prediction or annotation has a
list of results, ``{"from_name", "to_name", "type": "choices", "value": {"choices": [name]}}``. The export JSON-MIN is
read too: ``{"image": address, "choice": name}``.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from unseen.data.exchange.labelling_config import LabellingConfig
from unseen.utils.errors import InputError, shorten

Answer = tuple[Any, float]
MODEL_VERSION = "unseen"

# What JSON-MIN says about an annotation, beside the data and the choices.
_ABOUT = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
# An address of a picture, rather than the name of a class, which may have a slash too.
_ADDRESS = re.compile(r"://|^/data/|\.(jpe?g|png|webp|gif|bmp|tiff?)(\?.*)?$", re.IGNORECASE)


def is_label_studio(content: Any) -> bool:
    """Tell whether the content of a JSON file is an export: a list of tasks."""
    return isinstance(content, list) and all(isinstance(task, dict) for task in content)


def read_annotations(content: Sequence[Mapping[str, Any]], path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of each picture, and the different choices that were made for it.

    An annotation that is marked as the ground truth counts alone; those that were cancelled do not count.
    """
    for at, task in enumerate(content):
        address, made = _read_task(task) if "data" in task or "annotations" in task else _read_plain(task, path)
        if address is None:
            raise InputError(
                f"{path}, task {at} has no address of a picture: export the project as JSON or JSON-MIN, with its data"
            )
        yield address, list(dict.fromkeys(made))


def _read_task(task: Mapping[str, Any]) -> tuple[str | None, list[str]]:
    annotations = [
        annotation
        for annotation in _as_list(task.get("annotations"))
        if isinstance(annotation, dict) and not annotation.get("was_cancelled")
    ]
    sure = [annotation for annotation in annotations if annotation.get("ground_truth")]
    results = [result for annotation in sure or annotations for result in _as_list(annotation.get("result"))]
    data = task.get("data")
    return _find_address(data if isinstance(data, dict) else {}), [
        name for one in results for name in _list_choices(one)
    ]


def _list_choices(result: Any) -> list[str]:
    if not isinstance(result, dict) or result.get("type") != "choices":
        return []
    value = result.get("value")
    choices = value.get("choices") if isinstance(value, dict) else None
    return [name for name in _as_list(choices) if _is_name(name)]


def _read_plain(task: Mapping[str, Any], path: Path) -> tuple[str | None, list[str]]:
    """Read a task of JSON-MIN, in which the choice stands beside the address, under the name of its control."""
    told = {key: value for key, value in task.items() if key not in _ABOUT}
    address = _find_address(told)
    chosen = [value for value in told.values() if value != address and (_is_name(value) or isinstance(value, dict))]
    if len(chosen) > 1:
        raise InputError(
            f"{path} has tasks with several answers ({shorten(chosen)}): export it as JSON, not as JSON-MIN"
        )
    if chosen and isinstance(chosen[0], dict):  # several choices in one control
        return address, [name for name in _as_list(chosen[0].get("choices")) if _is_name(name)]
    return address, chosen


def _find_address(data: Mapping[str, Any]) -> str | None:
    return next((value for value in data.values() if isinstance(value, str) and _ADDRESS.search(value)), None)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


class LabelStudioWriter:
    """Write answers as tasks with predictions, as they come.

    Parameters
    ----------
    file : text file
    labels : sequence
        The candidates.
    config : LabellingConfig
    prefix : str
        What stands before the path of a picture in its address, e.g. "/data/local-files/?d=birds/".
    """

    def __init__(self, file: IO[str], labels: Sequence[Any], config: LabellingConfig, prefix: str = "") -> None:
        self._file, self._config, self._prefix, self._begun = file, config, prefix, False
        self._choices = config.find_choices(labels)
        file.write("[")

    def write_answers(self, picture: str, found: Sequence[Answer]) -> None:
        """Write the answers to a picture, the best first, as one prediction each; none if they are withheld."""
        address = f"{self._prefix}{picture}"
        predictions = [
            {
                "model_version": MODEL_VERSION if not at else f"{MODEL_VERSION}, answer {at + 1}",
                "score": probability,
                "result": [
                    {
                        "id": hashlib.blake2b(f"{address}\n{at}".encode(), digest_size=5).hexdigest(),
                        "from_name": self._config.control,
                        "to_name": self._config.target,
                        "type": "choices",
                        "value": {"choices": [self._choices[label]]},
                    }
                ],
            }
            for at, (label, probability) in enumerate(found)
        ]
        task = {"data": {self._config.key: address}, "predictions": predictions}
        self._file.write(f"{', ' * self._begun}{json.dumps(task)}")
        self._begun = True

    def finish(self) -> None:
        """Close what was opened."""
        self._file.write("]\n")

"""Read YAML strictly: plain values only, no repeated keys, and nothing is executed."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.utils.errors import InputError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# An experiment file has a few kilobytes; a larger file is something else, and slow to parse.
LARGEST_FILE = 2**16
# Such a description has lists in mappings in mappings; the time that parsing takes grows with the square of the depth.
DEEPEST = 20


def read_yaml(path: "Path | Traversable") -> dict[str, Any]:
    """Read the mapping that a YAML file holds.

    References (anchors and aliases), repeated keys and tags raise an error: a repeated key would silently override the
    first, and references can expand a small file without bound.
    """
    import yaml

    try:
        content = path.read_bytes()
        if len(content) > LARGEST_FILE:
            raise InputError(
                f"{path} has {len(content)} bytes: a file of experiments or numbers has at most {LARGEST_FILE}"
            )
        text = content.decode("utf-8")
        _refuse_aliases_and_depth(text, str(path))
        node = yaml.compose(text, Loader=_find_loader())
        _refuse_repeated_keys(node, str(path))
        mapping = None if node is None else yaml.SafeLoader("").construct_document(node)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error.reason}): save it as UTF-8") from error
    except InputError:
        raise
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError, AttributeError, TypeError, KeyError) as error:
        # YAMLError for its grammar; the others come from values such as 2001-99-99, or ": " where a key should be.
        raise InputError(f"{path} is not valid YAML ({' '.join(str(error).split())}): correct it") from error
    if not isinstance(mapping, dict):
        raise InputError(f"{path} holds {type(mapping).__name__} where a mapping of keys to values is expected")
    return mapping


def list_yaml_files(folder: "Traversable") -> dict[str, "Traversable"]:
    """Return the YAML files of a folder by name without extension, sorted."""
    found = {path.name.removesuffix(".yaml"): path for path in folder.iterdir() if path.name.endswith(".yaml")}
    return dict(sorted(found.items()))


def _find_loader() -> Any:
    """Return the parser in C where PyYAML has it: a table of systems reads dozens of files."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refuse_aliases_and_depth(text: str, path: str) -> None:
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=_find_loader()):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            where = path if event.start_mark is None else f"{path}, line {event.start_mark.line + 1}"
            raise InputError(f"{where} is nested more than {DEEPEST} deep: write it with fewer brackets")
        if isinstance(event, yaml.AliasEvent):
            raise InputError(f"{path} refers to another place (*{event.anchor}): write the value itself")


def _refuse_repeated_keys(node: Any, path: str) -> None:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_repeated_keys(item, path)
    if isinstance(node, yaml.MappingNode):
        known: set[str] = set()
        for key, value in node.value:
            if str(key.value) in known:
                raise InputError(f"{path}, line {key.start_mark.line + 1} repeats the key {key.value!r}: keep one")
            known.add(str(key.value))
            _refuse_repeated_keys(value, path)

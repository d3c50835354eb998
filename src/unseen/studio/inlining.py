"""Put ES modules into one script, without a build tool: each becomes a function, called after those that it imports.

A page that is opened from a file may not load modules, so everything has to be in it. The modules keep to a small part
of the language of imports and exports, and anything else is an error:

- ``import { one, other } from "../folder/file.js";``, and no circles;
- ``export`` before a function, an async function, a class or a const.
"""

import posixpath
import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', flags=re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", flags=re.MULTILINE)
_LEFT = re.compile(r"^\s*(?:import|export)\b.*$", flags=re.MULTILINE)


def inline_modules(modules: Mapping[str, str], entry: str) -> str:
    r"""Return one script that does what the module `entry` does.

    Parameters
    ----------
    modules : mapping of str to str
        The text of every module by its path, with "/" between folders.
    entry : str
        The path of the module to start with.

    Examples
    --------
    >>> modules = {"a.js": 'import { b } from "./b.js";\nb();\n', "b.js": "export function b() {}\n"}
    >>> print(inline_modules(modules, "a.js"))
    "use strict";
    const modules = {};
    modules["b.js"] = (() => {
    function b() {}
    return { b };
    })();
    modules["a.js"] = (() => {
    const { b } = modules["b.js"];
    b();
    return {  };
    })();
    <BLANKLINE>
    """
    wrapped = (_wrap(path, modules[path]) for path in order_modules(modules, entry))
    return '"use strict";\nconst modules = {};\n' + "".join(wrapped)


def order_modules(modules: Mapping[str, str], entry: str) -> list[str]:
    """Return the paths of a module and of all that it needs, each after those that it imports."""
    order: list[str] = []

    def visit(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ValueError(f"modules import each other in a circle: {' -> '.join((*above, path))}")
        if path in order:
            return
        if path not in modules:
            raise ValueError(f"{above[-1]} imports {path}, which does not exist")
        for needed in _list_imports(path, modules[path]):
            visit(needed, (*above, path))
        order.append(path)

    visit(entry, ())
    return order


def _list_imports(path: str, text: str) -> list[str]:
    return [_resolve(path, address) for _, address in _IMPORT.findall(text)]


def _resolve(path: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), address))


def _wrap(path: str, text: str) -> str:
    exported = _EXPORT.findall(text)
    body = _IMPORT.sub(lambda found: f'const {{{found[1]}}} = modules["{_resolve(path, found[2])}"];\n', text)
    body = _EXPORT.sub("", body)
    if left := _LEFT.search(body):
        raise ValueError(f"{path} has a line that cannot be put into a page: {left[0].strip()}")
    return f'modules["{path}"] = (() => {{\n{body}return {{ {", ".join(exported)} }};\n}})();\n'

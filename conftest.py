"""Doctests that need a package of an extra are left out where it is not installed."""

from importlib.util import find_spec

NEEDED = {
    "src/unseen/encoders/networks/preprocessing.py": "PIL",
    "src/unseen/files/export/class_index.py": "faiss",
    "src/unseen/server/app.py": "starlette",
    "src/unseen/server/connections.py": "uvicorn",
    "src/unseen/server/endpoints.py": "starlette",
    "src/unseen/server/gate.py": "starlette",
    "src/unseen/server/running.py": "uvicorn",
}

collect_ignore = [file for file, package in NEEDED.items() if find_spec(package) is None]

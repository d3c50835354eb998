"""What is said of a package that is not there."""

import json
from pathlib import Path

import pytest

from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional, suggest_install


class Installed:
    """Stands for the metadata of the installed package."""

    def __init__(self, origin: dict[str, object] | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, 'pip install "unseen[figures]"'),
        ({"dir_info": {"editable": True}, "url": "{here}"}, 'pip install -e ".[figures]"'),
        ({"dir_info": {}, "url": "{here}"}, 'pip install ".[figures]"'),
        ({"dir_info": {"editable": True}, "url": "file:///a%20clone"}, 'pip install -e "/a clone[figures]"'),
        (
            {"vcs_info": {"vcs": "git", "commit_id": "1"}, "url": "https://example.org/unseen"},
            'pip install "unseen[figures] @ git+https://example.org/unseen"',
        ),
        (
            {"archive_info": {}, "url": "file:///unseen-1-py3-none-any.whl"},
            'pip install "unseen[figures] @ file:///unseen-1-py3-none-any.whl"',
        ),
    ],
)
def test_the_command_fits_the_way_of_installing(
    origin: dict[str, object] | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if origin is not None:
        origin = origin | {"url": str(origin["url"]).replace("{here}", Path.cwd().as_uri())}
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed(origin))
    assert suggest_install("figures") == command
    with pytest.raises(InputError) as refused:
        import_optional("no_such_package.inside", "figures", "a report")
    assert str(refused.value) == f"a report needs the package no_such_package: {command}"

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from unseen.data import fetch_dataset, load_dataset
from unseen.data.benchmarks.fetch import read_registry
from unseen.utils.errors import InputError

pytest.importorskip("pooch")

CONTENT = np.random.default_rng(0).bytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
# Bytes come in pieces of this size.
PIECE = 65_536


class Handler(BaseHTTPRequestHandler):
    """Serves one file, with or without ranges, and hangs up after a number of bytes where it is told to."""

    def do_GET(self):
        server = self.server
        server.ranges.append(self.headers.get("Range"))
        if not self.path.endswith("data.bin"):
            self.send_error(404)
            return
        start = 0
        if server.understands_ranges and self.headers.get("Range"):
            start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
        if start >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        stop = server.hang_up_after.pop(0) if server.hang_up_after else len(CONTENT)
        self.wfile.write(CONTENT[start : start + stop])
        self.close_connection = True

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    """A server on this machine, which ends with the test."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.timeout = 5
    server.ranges, server.hang_up_after, server.understands_ranges = [], [], True
    server.url = f"http://127.0.0.1:{server.server_port}/folder/data.bin"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_fetch_verifies_and_happens_once(server, tmp_path):
    steps = []
    for _ in range(2):
        path = fetch_dataset(
            "x", url=server.url, sha256=SHA256.upper(), to=tmp_path / "new", progress=lambda *step: steps.append(step)
        )
        assert path == tmp_path / "new" / "data.bin"
        assert path.read_bytes() == CONTENT
    assert server.ranges == [None]
    assert steps[-1] == (len(CONTENT), len(CONTENT))
    assert [entry.name for entry in path.parent.iterdir()] == ["data.bin"]


def test_a_broken_connection_is_resumed(server, tmp_path):
    server.hang_up_after = [2 * PIECE, PIECE]
    assert fetch_dataset("x", url=server.url, sha256=SHA256, to=tmp_path).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={2 * PIECE}-", f"bytes={3 * PIECE}-"]


def test_a_later_call_goes_on(server, tmp_path):
    server.hang_up_after = [PIECE]
    with pytest.raises(ConnectionError, match=r"stopped after 65,536 bytes .*run it again to resume"):
        fetch_dataset("x", url=server.url, sha256=SHA256, to=tmp_path, attempts=1)
    assert not (tmp_path / "data.bin").exists()
    assert fetch_dataset("x", url=server.url, sha256=SHA256, to=tmp_path).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={PIECE}-"]


def test_a_server_without_ranges_starts_anew(server, tmp_path):
    server.hang_up_after, server.understands_ranges = [PIECE], False
    assert fetch_dataset("x", url=server.url, sha256=SHA256, to=tmp_path).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={PIECE}-"]


def test_a_complete_partial_file_needs_no_more(server, tmp_path):
    (tmp_path / f"data.bin.{SHA256[:12]}.part").write_bytes(CONTENT)
    assert fetch_dataset("x", url=server.url, sha256=SHA256, to=tmp_path).read_bytes() == CONTENT


def test_another_hash_leaves_nothing_behind(server, tmp_path):
    with pytest.raises(InputError, match=r"whose SHA-256 hash is not sha256='0000.*, so it was deleted"):
        fetch_dataset("x", url=server.url, sha256="0" * 64, to=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_not_overwritten(server, tmp_path):
    (tmp_path / "data.bin").write_text("precious")
    with pytest.raises(InputError, match=r"data\.bin is there already .*not overwritten"):
        fetch_dataset("x", url=server.url, sha256=SHA256, to=tmp_path)
    assert (tmp_path / "data.bin").read_text() == "precious"
    assert server.ranges == []


def test_registry_of_ones_own(server, tmp_path, monkeypatch):
    registry = tmp_path / "ours.toml"
    registry.write_text(f'[birds]\nurl = "{server.url}"\nsha256 = "{SHA256}"\nfile = "birds.bin"\n')
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path / "home"))
    assert fetch_dataset("birds", registry=registry) == tmp_path / "home" / "birds.bin"


def test_a_fetched_dataset_is_found_by_name(npz, tmp_path, monkeypatch):
    npz(name="birds.npz")
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    monkeypatch.chdir("/")
    for name in ("birds", "birds.npz"):
        assert load_dataset(name).name == "birds"


def test_registry_of_the_package_names_no_unverified_hash():
    assert all(entry.sha256 is None or len(entry.sha256) == 64 for entry in read_registry().values())
    with pytest.raises(InputError, match=r"nobody has verified http://.*xlsa17\.zip yet"):
        fetch_dataset("xlsa17")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"name": "xlsa7"}, r"name='xlsa7' is not known \(did you mean 'xlsa17'\?\): .*give url and sha256"),
        ({"url": "https://example.org/a.npz"}, "sha256=None, but nobody has verified"),
        ({"url": "https://example.org/a.npz", "sha256": "abc"}, "sha256='abc' is not a SHA-256 hash"),
        ({"url": "file:///etc/passwd", "sha256": SHA256}, "is not a web address"),
        ({"url": "https://example.org/", "sha256": SHA256}, "file='' is not a file name"),
        ({"registry": "none.toml"}, r"registry='none\.toml' cannot be read as a TOML file"),
    ],
)
def test_bad_requests_get_a_sentence(tmp_path, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        fetch_dataset(**({"name": "x", "to": tmp_path} | arguments))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[birds]\nuri = 'https://a.org/b'\n", r"\[birds\] has the keys 'uri' \(did you mean 'url'\?\): it needs url"),
        ("birds = 3\n", r"\[birds\] has the keys none"),
        ("[birds\n", "cannot be read as a TOML file"),
        ("[birds]\nurl = 'https://a.org/b'\nfile = '../b'\nsha256 = '" + SHA256 + "'\n", "'../b' is not a file name"),
    ],
)
def test_bad_registries_get_a_sentence(tmp_path, text, sentence):
    (tmp_path / "ours.toml").write_text(text)
    with pytest.raises(InputError, match=sentence):
        fetch_dataset("birds", registry=tmp_path / "ours.toml", to=tmp_path)


def test_an_address_that_is_not_there_gets_a_sentence(server, tmp_path):
    with pytest.raises(InputError, match=r"other\.bin' cannot be fetched \(404"):
        fetch_dataset("x", url=server.url.replace("data", "other"), sha256=SHA256, to=tmp_path)
    assert len(server.ranges) == 1

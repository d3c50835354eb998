"""`unseen serve` as a user runs it: it says where, answers, and finishes what it has begun."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import run

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.workflows import fit

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

TOKEN = "token-of-this-test"


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=6, n_unseen=3, n_features=8, n_attributes=5, n_per_class=8, random_state=0)


@pytest.fixture(scope="module")
def model(data: ZeroShotDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("served") / "m.unseen"
    fit(data, "eszsl", calibrate=False).save(path)
    return path


@contextmanager
def started(*arguments: object, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    command = [sys.executable, "-m", "unseen", "serve", *map(str, arguments), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | environment) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            address = re.search(r" at (http://\S+),", said)
            assert address is not None, said + process.stderr.read()
            yield process, address.group(1), said
        finally:
            process.kill()


def ask(address: str, body: object = None, **headers: str) -> object:
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, content, {"Content-Type": "application/json"} | headers)
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.load(reply)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_answers_and_ends(model: Path, data: ZeroShotDataset, tmp_path: Path, stop: int) -> None:
    data.unseen_table.to_csv(tmp_path / "new.csv")
    with started(model, "--classes", tmp_path / "new.csv", UNSEEN_TOKEN=TOKEN) as (process, address, said):
        assert "(ESZSL, 8 features, 3 candidates)" in said
        assert address.startswith("http://127.0.0.1:")
        found = ask(f"{address}/predict", {"rows": data.X_test_unseen[:2].tolist()}, Authorization=f"Bearer {TOKEN}")
        assert isinstance(found, dict)
        assert [one["label"] in data.unseen_classes for one in found["answers"]] == [True, True]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(f"{address}/classes", Authorization="Bearer wrong")
        process.send_signal(stop)
        assert process.wait(20) == 0
        assert process.stderr is not None
        rest = process.stderr.read()
        assert rest == "Stopped: every request that had begun was answered.\n"
        assert TOKEN not in said + rest


def test_what_has_begun_is_finished(model: Path, data: ZeroShotDataset) -> None:
    body = json.dumps({"rows": data.X_train[:1].tolist()}).encode()
    head = f"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with started(model) as (process, address, _):
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(head.encode() + b"\r\n\r\n" + body[:5])
            while "in_flight 2" not in urllib.request.urlopen(f"{address}/metrics").read().decode():
                pass
            process.send_signal(signal.SIGTERM)
            # New ones are not taken any more, but the rest of this one is awaited.
            threading.Event().wait(0.5)
            connection.sendall(body[5:])
            assert connection.recv(12) == b"HTTP/1.1 200"
        assert process.wait(20) == 0


def test_wrong_options_get_a_sentence(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", model, "--port", port)
        assert result.exit_code == 2
        assert f"port={port} of host=127.0.0.1 cannot be listened at (Address already in use)" in result.output
    result = run("serve", tmp_path / "none.unseen")
    assert result.exit_code == 2
    assert "none.unseen" in result.output
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = run("serve", model)
    assert result.exit_code == 2
    assert "serving a model needs the package uvicorn: pip install" in result.output

"""What cannot be answered gets a status, a word for programs and a sentence for people."""

import http.client
import io
import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import Client, Reply, form, read_all, serving

from unseen.data import ZeroShotDataset
from unseen.server import Limits, Service
from unseen.workflows import Fitted

ROW = [[0.0] * 12]
FORM = "multipart/form-data; boundary=xyz"


def refused(reply: Reply, status: int, kind: str, *words: str) -> dict[str, str]:
    assert reply.status == status, reply.content
    assert reply.error["type"] == kind
    for each in words:
        assert each in reply.error["message"]
    return reply.error


def npy(header: str, data: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    text = header.encode("latin1") + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(text)) + text + data


BAD_JSON: dict[str, tuple[Any, str, str | None]] = {
    "a list": ([1], "the body is a list", None),
    "no rows": ({}, "rows is missing or empty", "rows"),
    "empty rows": ({"rows": []}, "rows is missing or empty", "rows"),
    "a flat row": ({"rows": [0.0] * 12}, "rows has a float at 0", "rows"),
    "a short row": ({"rows": [[1, 2]]}, "rows has 2 features in each row", "rows"),
    "ragged rows": ({"rows": [[0.0] * 12, [0.0] * 11]}, "rows of different lengths", "rows"),
    "text": ({"rows": [["1"] * 12]}, "got '1' at row 0, column 0", "rows"),
    "a truth value": ({"rows": [[0.0] * 11 + [True]]}, "got True at row 0, column 11", "rows"),
    "null": ({"rows": [[0.0] * 11 + [None]]}, "got None", "rows"),
    "not finite": ({"rows": [[0.0] * 11 + [float("nan")]]}, "nan in row 0, column 11", "rows"),
    "a huge integer": ({"rows": [[0] * 11 + [10**400]]}, "too large", "rows"),
    "too few names": ({"rows": ROW, "names": ["a", "b"]}, "names has 2 names for 1 rows", "names"),
    "unknown option": ({"rows": ROW, "tpo": 2}, "did you mean 'top'?", None),
    "top": ({"rows": ROW, "top": 1.5}, "top must be a whole number", "top"),
    "abstain": ({"rows": ROW, "abstain": "x"}, "abstain='x' is not a probability", "abstain"),
    "abstain above 1": ({"rows": ROW, "abstain": 2}, "abstain=2 is not a probability", "abstain"),
    "classes": ({"rows": ROW, "classes": "ox"}, "classes is a str", "classes"),
    "no classes": ({"rows": ROW, "classes": []}, "classes is empty", "classes"),
    "unknown class": ({"rows": ROW, "classes": ["class 8"]}, "did you mean", "classes"),
    "class in class": ({"rows": ROW, "classes": [["ox"]]}, "not a label", "classes"),
    "short description": ({"rows": ROW, "classes": {"ox": [1, 2]}}, "width 2", "classes"),
    "text as description": ({"rows": ROW, "classes": {"ox": "red"}}, "'ox'", "classes"),
    "value of a description": ({"rows": ROW, "classes": {"ox": [[1]] * 6}}, "'ox'", "classes"),
    "twice": ({"rows": ROW, "classes": ["class 01", "class-01"]}, "more than once", "classes"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_bad_json_gets_a_sentence(client: Client, case: str) -> None:
    body, words, argument = BAD_JSON[case]
    error = refused(client.ask("/predict", body), 400, "invalid_input", words)
    assert error.get("argument") == argument


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b'{"rows": ' + b"9" * 5000 + b"}"])
def test_what_is_not_json_is_malformed(client: Client, body: bytes) -> None:
    refused(client.ask("/predict", body), 400, "malformed", "not JSON")


BAD_NPY = {
    "empty": b"",
    "text": b"1,2,3",
    "pickle": b"\x80\x04K\x01.",
    "version": b"\x93NUMPY\x09\x00" + bytes(100),
    "cut": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 12), }", bytes(8)),
    "more": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 12), }", bytes(200)),
    "objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1, 12), }", bytes(96)),
    "complex": npy("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 12), }", bytes(192)),
    "structured": npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (12,), }", bytes(96)),
    "three axes": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 12), }", bytes(96)),
    "no axis": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", bytes(8)),
    "code": npy("__import__('os').abort()"),
    "long header": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 12), }" + " " * 5000, bytes(96), (2, 0)),
    "negative": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -12), }", bytes(96)),
}


@pytest.mark.parametrize("case", BAD_NPY)
def test_damaged_npy_files_are_malformed(client: Client, case: str) -> None:
    error = refused(client.ask("/predict", BAD_NPY[case], "application/x-npy"), 400, "malformed", "np.save")
    assert error["argument"] == "rows"


def test_a_header_that_claims_terabytes_allocates_nothing(client: Client) -> None:
    claims = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10000, 1000000000), }", bytes(96))
    refused(client.ask("/predict", claims, "application/x-npy"), 400, "malformed", "80,000,000,000,000 bytes")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "last boundary"),
        (b"--xyz\r\n\r\n1", "last boundary"),
        (b"--xyz\r\nnothing--xyz--", "last boundary"),
        (b"--xyz\r\n\r\nhi\r\n--xyz--\r\n", "no name"),
        (b"--xyzzy\r\n\r\nhi\r\n--xyz--\r\n", "no headers"),
    ],
)
def test_what_is_not_a_form_is_malformed(client: Client, body: bytes, words: str) -> None:
    refused(client.ask("/predict", body, FORM), 400, "malformed", words)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "either rows or pictures"),
        ([("other", None, b"")], "part 'other'"),
        ([("options", None, b"[]")], "options is a list"),
        ([("pictures", "a.png", b"x"), ("rows", "b.npy", BAD_NPY["pickle"])], "not a .npy file"),
    ],
)
def test_forms_that_do_not_say_what_to_recognise(client: Client, parts: list[Any], words: str) -> None:
    found = client.ask("/predict", form(parts), FORM)
    assert found.status == 400
    assert words in found.error["message"]


def test_addresses_methods_and_kinds_that_there_are_not(client: Client) -> None:
    refused(client.ask("/predct", {}), 404, "not_found", "/openapi.json")
    wrong = client.ask("/predict")
    refused(wrong, 405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"
    for kind in ("text/csv", "", "nonsense", "application/octet-stream"):
        refused(client.ask("/predict", b"1", kind), 415, "unsupported_media_type", "application/x-npy")
    refused(client.ask("/predict?top=x", b"", "image/png"), 400, "invalid_input", "top='x' is not a number")
    refused(client.ask("/predict?top=1&top=2", b"", "image/png"), 400, "invalid_input", "top is given twice")
    refused(client.ask("/classes", {"class": []}), 400, "invalid_input", "classes is missing")
    refused(client.ask("/explain", {"rows": ROW, "row": 3}), 400, "invalid_input", "row=3 is not one of the 1 rows")
    refused(client.ask("/explain", {"rows": ROW, "class": "ox"}), 400, "invalid_input", "ox")
    refused(client.ask("/explain", {"rows": ROW, "class": ["ox"]}), 400, "invalid_input", "not a label")
    refused(client.ask("/explain", {"rows": ROW, "row": True}), 400, "invalid_input", "row=True")


def test_pictures_need_an_encoder(client: Client) -> None:
    error = refused(client.ask("/predict", b"x", "image/png"), 400, "invalid_input", "features of unknown origin")
    assert error["argument"] == "pictures"


def test_limits_are_named(fitted: Fitted) -> None:
    limits = Limits(body=5000, rows=3, candidates=2, answers=4, pictures=2)
    with serving(Service(fitted, limits=limits)) as client:
        for reply, words in (
            (client.ask("/predict", {"rows": ROW * 4}), "rows is 4, more than the 3"),
            (client.ask("/predict", b"x" * 5001), "body is 5,001 bytes, more than the 5,000 bytes"),
            (client.ask("/predict", {"rows": ROW, "classes": [f"class {at:02}" for at in range(3)]}), "classes is 3"),
            (client.ask("/predict", {"rows": ROW * 3, "top": 2}), "top is 6 answers for all rows"),
            (client.ask("/predict", form([("pictures", "a", b"")] * 3), FORM), "pictures is 3"),
            (client.ask("/predict", form([("pictures", "a", b"")] * 6), FORM), "more than 4 parts"),
        ):
            refused(reply, 413, "too_large", words)
        # Without a length, the body is refused as soon as it is too long.
        connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
        connection.request("POST", "/predict", iter([b"x" * 3000] * 2), {"Content-Type": "application/json"})
        assert connection.getresponse().status == 413
        connection.close()


@pytest.mark.parametrize("content", [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTQ/1.1", b"\x00" * 64])
def test_what_is_not_http_is_answered_and_closed(client: Client, content: bytes) -> None:
    found = read_all(client.send(content + b"\r\n\r\n"))
    assert found.startswith(b"HTTP/1.1 400 ")
    assert json.loads(found.partition(b"\r\n\r\n")[2])["error"]["type"] == "malformed"
    assert client.ask("/healthz").status == 200


def test_a_head_without_end_is_refused(client: Client) -> None:
    found = read_all(client.send(b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000))
    assert found.startswith(b"HTTP/1.1 400 ")


SMALL = {"suppress_health_check": [HealthCheck.function_scoped_fixture], "deadline": None}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("rows", "names", "features", "classes", "groups", "only", "top", "abstain", "row", "class")


@settings(max_examples=150, **SMALL)  # type: ignore[arg-type]
@given(
    fields=st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=4),
    right=st.booleans(),
    path=st.sampled_from(["/predict", "/explain", "/classes"]),
)
def test_any_json_is_answered_or_refused(client: Client, fields: dict[str, Any], right: bool, path: str) -> None:
    reply = client.ask(path, fields | ({"rows": ROW} if right else {}))
    assert reply.status == 200 or (400 <= reply.status < 500 and reply.error["message"]), reply.content


@settings(max_examples=150, **SMALL)  # type: ignore[arg-type]
@given(
    body=st.binary(max_size=200),
    kind=st.sampled_from(["application/json", "application/x-npy", FORM, "image/png", "application/octet-stream"]),
    start=st.sampled_from(
        [b"", b"\x93NUMPY\x01\x00", b"--xyz\r\n", b'--xyz\r\nContent-Disposition: form-data; name="', b"{"]
    ),
)
def test_any_bytes_are_refused(client: Client, body: bytes, kind: str, start: bytes) -> None:
    reply = client.ask("/predict", start + body, kind)
    assert 400 <= reply.status < 500, reply.content
    assert reply.error["message"]


@settings(max_examples=100, **SMALL)  # type: ignore[arg-type]
@given(data=st.data())
def test_damaged_files_are_answered_or_refused(client: Client, data: st.DataObject) -> None:
    file = io.BytesIO()
    np.save(file, np.zeros((2, 12)))
    content = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    reply = client.ask("/predict", bytes(content), "application/x-npy")
    assert reply.status in (200, 400, 413), reply.content


def test_defects_are_logged_and_not_shown(fitted: Fitted, data: ZeroShotDataset, caplog: Any) -> None:
    service = Service(fitted)
    service.answer = None  # type: ignore[assignment, method-assign]
    with serving(service) as client:
        found = client.ask("/predict", {"rows": data.X_train[:1].tolist()})
        error = refused(found, 500, "internal", "TypeError")
    assert "NoneType" not in error["message"]
    assert "NoneType" in caplog.text

import pytest

from unseen.experiments.yaml_file import LARGEST_FILE, read_yaml
from unseen.utils.errors import InputError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3 repeats the key 'a'"),
        ("a: {b: 1, b: 2}\n", "line 1 repeats the key 'b'"),
        ("a: &x [1]\nb: *x\n", r"refers to another place \(\*x\)"),
        ("a: !!python/object/apply:os.system ['echo']\n", "is not valid YAML"),
        ("a: [1, 2\n", "is not valid YAML"),
        ("- 1\n- 2\n", "holds list where a mapping"),
        ("", "holds NoneType where a mapping"),
        ("a: " + "[" * 5000, "line 1 is nested more than 20 deep"),
        ("- " * 5000, "line 1 is nested more than 20 deep"),
        ("a: 2001-99-99", "is not valid YAML"),
        ("a: '" + "x" * LARGEST_FILE + "'", "bytes"),
    ],
)
def test_odd_files_get_a_sentence_and_run_nothing(tmp_path, text, message):
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_yaml(path)


def test_files_that_are_no_text_or_not_there_get_a_sentence(tmp_path):
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_yaml(tmp_path / "binary.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        read_yaml(tmp_path / "missing.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        read_yaml(tmp_path)

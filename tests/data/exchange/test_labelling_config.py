"""Labelling configurations of Label Studio: the names that answers refer to, and what is refused."""

from pathlib import Path

import pytest

from unseen.data.exchange import LabellingConfig, labelling_config, read_labelling_config
from unseen.data.exchange.labelling import read_choices
from unseen.utils.errors import InputError

CONFIG = """<View>
  <Header value="Which bird?"/>
  <Image name="img" value="$picture"/>
  <Choices name="bird" toName="img" choice="single">
    <Choice value="Fish Crow" alias="030.Fish_Crow"/>
    <Choice value="jay"/><Choice value="jay"/>
  </Choices>
</View>"""


def read(folder: Path, text: str) -> LabellingConfig:
    (folder / "config.xml").write_text(text)
    return read_labelling_config(folder / "config.xml")


def test_names_and_choices(tmp_path: Path) -> None:
    assert read(tmp_path, CONFIG) == LabellingConfig("bird", "img", "picture", ("030.Fish_Crow", "jay"))
    assert read_choices(tmp_path / "config.xml") == ["030.Fish_Crow", "jay"]


def test_candidates_find_their_choice_in_any_spelling(tmp_path: Path) -> None:
    config = read(tmp_path, CONFIG)
    assert config.find_choices(["fish crow", "jay"]) == {"fish crow": "030.Fish_Crow", "jay": "jay"}
    assert LabellingConfig().find_choices(["owl", 3]) == {"owl": "owl", 3: "3"}
    with pytest.raises(InputError, match="no choice for the candidates 'owl'"):
        config.find_choices(["jay", "owl"])
    twice = read(tmp_path, CONFIG.replace('value="jay"', 'value="fish crow"'))
    with pytest.raises(InputError, match="no choice for the candidates 'Fish_Crow'"):
        twice.find_choices(["Fish_Crow"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<View>", "is not XML"),
        ("", "is not XML"),
        ("<View/>", "has 0 Choices tags"),
        (CONFIG.replace("</View>", '<Choices name="a" toName="img"/></View>'), "has 2 Choices tags"),
        (CONFIG.replace('name="img"', 'name="other"'), "no tag named 'img'"),
        (CONFIG.replace("$picture", "picture.jpg"), "no tag named 'img' with a value such as"),
        ('<View><Image name="i" value="$i"/><Choices name="a" toName="i"/></View>', "without choices"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + CONFIG, "defines entities"),
    ],
)
def test_other_files_get_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        read(tmp_path, text)


def test_missing_huge_and_binary_files_get_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_labelling_config(tmp_path / "none.xml")
    (tmp_path / "binary.xml").write_bytes(b"\xff\xfe<")
    with pytest.raises(InputError, match="is not XML"):
        read_labelling_config(tmp_path / "binary.xml")
    monkeypatch.setattr(labelling_config, "LARGEST", 10)
    with pytest.raises(InputError, match="more than 10"):
        read(tmp_path, CONFIG)

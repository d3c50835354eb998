"""The page as a file: one, whole, the same each time, and safe."""

import json
import re
from pathlib import Path

import html5lib
import numpy as np
import pytest

import unseen
from unseen.data import ZeroShotDataset
from unseen.features import STEPS, SimplexCoder
from unseen.models import Calibrated
from unseen.studio import Studio, StudioView, open_studio, write_studio
from unseen.studio.inlining import inline_modules, order_modules
from unseen.studio.numbers import share_arrays, write_array
from unseen.studio.page_files import ENTRY, STYLES, read_modules
from unseen.studio.steps import WRITTEN
from unseen.utils.errors import InputError

FOLDER = Path(unseen.__file__).parent / "studio" / "page"


def test_modules_come_after_what_they_import() -> None:
    modules = read_modules(FOLDER)
    order = order_modules(modules, ENTRY)
    assert set(order) == set(modules), "a module that nothing imports"
    assert order.index("numbers/scorer.js") > order.index("numbers/operations.js")
    assert order[-1] == ENTRY


@pytest.mark.parametrize(
    ("modules", "told"),
    [
        ({"a.js": 'import { b } from "./b.js";\n'}, "a.js imports b.js, which does not exist"),
        (
            {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'},
            "circle: a.js -> b.js -> a.js",
        ),
        ({"a.js": "export default 3;\n"}, "a.js has a line that cannot be put into a page: export default 3;"),
        ({"a.js": 'import * as b from "./b.js";\n'}, "cannot be put into a page"),
        ({"a.js": "export let a = 1;\n"}, "cannot be put into a page"),
    ],
)  # fmt: skip
def test_modules_that_cannot_be_put_into_a_page(modules: dict[str, str], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        inline_modules(modules, "a.js")


def test_every_style_is_used() -> None:
    assert {path.stem for path in (FOLDER / "style").glob("*.css")} == set(STYLES)


def test_the_page_is_whole_and_needs_nothing_else(studio: Studio) -> None:
    page = studio.page()
    html5lib.HTMLParser(strict=False).parse(page)
    assert "{{" not in page.replace(studio.to_json(), "")
    without_names = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|\bsrc=\"(?!data:)|@import|url\(", without_names.replace(studio.to_json(), ""))
    assert "connect-src 'none'" in page
    assert "connect-src 'self'" in studio.page(server={"base": "/studio", "functions": ["text"]})
    assert page == studio.page()


def test_data_hold_what_the_model_has(studio: Studio, model: Calibrated) -> None:
    data = json.loads(studio.to_json())
    assert data["temperature"] == model.temperature_
    assert data["penalty"] == model.seen_penalty_
    assert len(data["classes"]["labels"]) == 100
    assert sum(data["classes"]["seen"]) == 70
    assert data["rows"]["truth"] == studio.shown.truth
    assert all(picture.startswith("data:image/png") for picture in data["rows"]["pictures"])


def test_equal_arrays_stand_once() -> None:
    one, other = write_array(np.ones(3)), write_array(np.zeros(3))
    content, arrays = share_arrays({"a": [one, other], "b": {"c": one}})
    assert content == {"a": [{"array": 0}, {"array": 1}], "b": {"c": {"array": 0}}}
    assert arrays == [one, other]


def test_every_preparation_is_known() -> None:
    """A page can compute each of them, or says that it cannot."""
    known = {STEPS.find(name) for name in STEPS}
    assert known - set(WRITTEN) == {SimplexCoder}


def test_a_folder_is_written_and_not_overwritten(studio: Studio, tmp_path: Path) -> None:
    page = write_studio(studio, tmp_path / "out")
    assert page == tmp_path / "out" / "index.html"
    with pytest.raises(InputError, match="exists already"):
        write_studio(studio, tmp_path / "out")
    write_studio(studio, tmp_path / "out", force=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file: name a folder"):
        write_studio(studio, tmp_path / "file")
    with pytest.raises(InputError, match="make it first"):
        write_studio(studio, tmp_path / "nowhere" / "out")


def test_a_notebook_shows_the_page_in_a_frame(model: Calibrated, digits: ZeroShotDataset) -> None:
    view = unseen.studio(model, digits, height=500)  # type: ignore[operator]
    assert isinstance(view, StudioView)
    shown = view._repr_html_()
    assert shown.startswith("<iframe")
    assert "height:500px" in shown
    assert shown.count("<") == 2, "the page inside is escaped"
    assert "180 rows of digit-pairs among 30 candidates" in repr(view)


def test_level_and_groups_are_checked(model: Calibrated, digits: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=r"level=1\.5"):
        open_studio(model, digits, level=1.5)
    made = open_studio(model, digits, level=0.5, groups={"parity": {"02": "even"}})
    data = json.loads(made.to_json())
    assert (data["level"], data["groups"]) == (0.5, {"parity": {"02": "even"}})

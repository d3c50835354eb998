"""`unseen report` as a user runs it."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA
from typer.testing import CliRunner

import unseen
from unseen.cli import app
from unseen.data import load_dataset, make_zero_shot
from unseen.experiments import TrialStore
from unseen.files import read_model_file
from unseen.models import ESZSL, BilinearSVM, Calibrated, Prepared
from unseen.transduction import PST
from unseen.workflows import make_model
from unseen.workflows.reporting import wrap_alike

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("openTSNE")


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of data with a picture for each row, and a model file."""
    here = tmp_path_factory.mktemp("birds")
    sizes = {"n_seen": 8, "n_unseen": 4, "n_features": 9, "n_attributes": 6, "n_per_class": 6}
    data = make_zero_shot(**sizes, n_test_per_class=5, random_state=0)
    np.save(here / "features.npy", data.X)
    (here / "labels.txt").write_text("\n".join(map(str, data.y)))
    data.classes.to_csv(here / "classes.csv")
    (here / "unseen.txt").write_text("\n".join(map(str, data.unseen_classes)))
    (here / "test_seen.txt").write_text("\n".join(map(str, data.test_seen)))
    (here / "photos").mkdir()
    names = [f"photos/{row:03d}.png" for row in range(len(data.X))]
    for row, name in enumerate(names):
        Image.new("RGB", (300, 200), (row % 256, 90, 160)).save(here / name)
    (here / "pictures.txt").write_text("\n".join(names))
    command = ["fit", here, "--model", "eszsl", "--unit-norm", "--pca", "5", "--out", here / "birds.unseen"]
    assert run(*command)[0] == 0
    return here


def test_a_model_file_with_pictures_and_figures(folder: Path, tmp_path: Path) -> None:
    code, output = run(
        "report", folder / "birds.unseen", folder, "--methods", "bilinear", "--out", tmp_path / "page.html",
        "--figures", tmp_path / "figures",
    )  # fmt: skip
    assert code == 0, output
    text = (tmp_path / "page.html").read_text()
    assert "<h1>ESZSL on birds" in text
    # 4 unseen classes, 6 pictures each, as JPEG within the page.
    assert text.count("data:image/jpeg;base64,") == 24
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{name}.{ending}"
        for name in ("per-class", "confusion", "seen-unseen", "coverage")
        for ending in ("svg", "png", "csv")
    }


def test_other_methods_are_prepared_as_the_model_is(folder: Path) -> None:
    other = wrap_alike(make_model("bilinear"), read_model_file(folder / "birds.unseen").model)
    assert isinstance(other.model, BilinearSVM)
    assert "UnitNorm" in repr(other.features)
    assert "PCA" in repr(other.features)


def test_a_refinement_from_a_file_with_others_beside_it(folder: Path, tmp_path: Path) -> None:
    data = load_dataset(folder)
    model = Calibrated(PST(Prepared(ESZSL(), features=PCA(5))), random_state=0)
    unseen.save(model.fit(data.X_train, data.y_train, classes=data.seen_table), tmp_path / "refined.unseen")
    code, output = run(
        "report", tmp_path / "refined.unseen", folder, "--methods", "bilinear", "--out", tmp_path / "page.html"
    )
    assert code == 0, output
    text = (tmp_path / "page.html").read_text()
    assert "<h1>ESZSL + PST on birds" in text
    assert "BilinearSVM + PST" in text
    assert "PST: alpha=0.5" in text


def test_a_model_by_name_learns_in_trials(folder: Path, tmp_path: Path) -> None:
    code, output = run("report", "sje", folder, "--trials", "2", "--out", tmp_path / "page.html")
    assert code == 0, output
    text = (tmp_path / "page.html").read_text()
    assert "2 trials" in text
    assert "seeds of SJE" in text


def test_bad_input_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "old.html").write_text("mine")
    (tmp_path / "short.txt").write_text("one.png\ntwo.png")
    (tmp_path / "gone.txt").write_text("\n".join(["gone.png"] * len(np.load(folder / "features.npy"))))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    new, model = tmp_path / "new.html", folder / "birds.unseen"
    for arguments, sentence in (
        ((model, folder, "--out", tmp_path / "old.html"), "exists already"),
        ((model, folder, "--out", new, "--pictures", tmp_path / "short.txt"), "names 2 pictures for"),
        ((model, folder, "--out", new, "--pictures", tmp_path / "none.txt"), "is not a file"),
        ((model, folder, "--out", new, "--pictures", tmp_path / "gone.txt"), "cannot be shown"),
        ((model, folder, "--out", new, "--methods", "eszsl"), "give each method once"),
        ((model, folder, "--out", new, "--methods", "nothing"), "is not known"),
        ((model, folder, "--out", new, "--figures", tmp_path / "full"), "has files in it already"),
        ((model, "digit-pairs", "--out", new), "fitted on"),
        (("jaf", folder, "--out", new), "is not known"),
    ):
        code, output = run("report", *arguments)
        assert code == 2, (arguments, output)
        assert sentence in " ".join(output.split()), (arguments, output)
        assert not new.exists()
    assert (tmp_path / "old.html").read_text() == "mine"


def test_a_page_of_stored_experiments(tmp_path: Path) -> None:
    store, out = tmp_path / "trials.sqlite", tmp_path / "bench.html"
    assert run("bench", "digit-pairs-eszsl", "--store", store)[0] == 0
    code, output = run("report", "--bench", store, "--out", out, "--figures", tmp_path / "figures")
    assert code == 0, output
    assert "digit-pairs-eszsl" in out.read_text(encoding="utf-8")
    assert (tmp_path / "figures" / "experiments-digit-pairs-standard.svg").is_file()
    for arguments, sentence in (
        (("report", "--bench", tmp_path / "none.sqlite"), "does not exist"),
        (("report", "jfa", "digit-pairs", "--bench", store), "leave out jfa"),
        (("report", "jfa"), "name both"),
        (("report",), "name both"),
    ):
        code, output = run(*arguments, "--out", tmp_path / "other.html")
        assert code == 2
        assert sentence in " ".join(output.split())
    empty = tmp_path / "empty.sqlite"
    TrialStore(empty).__exit__(None, None, None)
    code, output = run("report", "--bench", empty, "--out", tmp_path / "other.html")
    assert code == 2
    assert "has no finished trials" in " ".join(output.split())

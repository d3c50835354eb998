"""How good a model is, what it is made of, and a page about it, as a notebook asks."""

from pathlib import Path

import pytest

from unseen.data import ZeroShotDataset
from unseen.models import ESZSL
from unseen.utils.errors import InputError
from unseen.utils.progress import Progress
from unseen.workflows import Fitted, describe_model, evaluate, fit, report, write_report
from unseen.workflows.describing import format_facts

METRIC = "mean per-class accuracy"


# evaluate


def test_fitted_models_and_named_ones_alike(data: ZeroShotDataset, npz: Path, fitted: Fitted, tmp_path: Path) -> None:
    fitted.save(tmp_path / "m.unseen")
    expected = evaluate("eszsl", data).mean(METRIC)
    for model in (ESZSL(), fitted, tmp_path / "m.unseen", str(tmp_path / "m.unseen")):
        assert evaluate(model, npz).mean(METRIC) == expected
    assert evaluate(tmp_path / "m.unseen", data).name == "m.unseen"


def test_settings_and_trials(data: ZeroShotDataset, told: list[Progress]) -> None:
    result = evaluate("sje", data, "generalized", settings={"step": 0.1}, trials=2, on_progress=told.append)
    assert result.setting == "generalized"
    assert len(result.trials) == 2
    assert told[-1] == Progress("fitting and measuring", 2, 2)


def test_a_refined_model_is_measured_on_the_whole_batch(data: ZeroShotDataset) -> None:
    assert evaluate("eszsl", data, refine="pst").setting == "transductive"
    assert evaluate(fit(data, "eszsl", refine="pst"), data).setting == "transductive"
    assert evaluate(fit(data, "eszsl"), data).setting == "standard"


def test_what_cannot_be_measured_gets_a_sentence(data: ZeroShotDataset, npz: Path, fitted: Fitted) -> None:
    with pytest.raises(InputError, match="is fitted already, but 'pca', 'refine' is for a model to fit"):
        evaluate(fitted, data, pca=3, refine="pst")
    with pytest.raises(InputError, match="leaves unseen"):
        evaluate(fit(npz, "eszsl", split="none", calibrate=False), data)
    with pytest.raises(InputError, match="model='eszl' is not known"):
        evaluate("eszl", "nowhere.npz")


# describe_model


def test_what_a_model_is_made_of(data: ZeroShotDataset) -> None:
    facts = describe_model(fit(data, "eszsl", unit_norm=True, refine="pst"))
    assert facts["model"] == "ESZSL"
    assert facts["parameters"]["gamma"] == 1.0
    assert facts["preparation"] == {"features": "UnitNorm()", "descriptions": None}
    assert list(facts["refinement"]) == ["PST"]
    assert facts["confidence"]["curve"][0]["coverage"] == 1.0
    texts = format_facts(facts)
    assert texts["refinement"].startswith("PST: ")
    assert texts["seen classes"].startswith("10: 'class 00'")
    assert "encoder" not in texts


# report


@pytest.mark.parametrize("refine", [None, "pst"])
def test_a_page_with_a_peer_wrapped_alike(
    refine: str | None, data: ZeroShotDataset, tmp_path: Path, told: list[Progress]
) -> None:
    model = fit(data, "eszsl", unit_norm=True, refine=refine)
    found = report(model, data, ["sje"], command="in a notebook", on_progress=told.append)
    ending = "" if refine is None else " + PST"
    assert [result.name for result in found.among_unseen] == [f"ESZSL{ending}", f"SJE{ending}"]
    assert Progress("drawing") in told
    write_report(found, tmp_path / "page.html", tmp_path / "figures")
    assert "in a notebook" in (tmp_path / "page.html").read_text()
    assert (tmp_path / "figures" / "per-class.csv").is_file()
    with pytest.raises(InputError, match="exists already"):
        write_report(found, tmp_path / "page.html")
    with pytest.raises(InputError, match="has files in it already"):
        write_report(found, tmp_path / "other.html", tmp_path / "figures")


def test_a_named_model_learns_first(npz: Path) -> None:
    found = report("eszsl", npz)
    assert found.coverage is not None
    assert found.among_unseen[0].trials[0].fit_seconds > 0

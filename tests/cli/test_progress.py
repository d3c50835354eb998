"""Long commands say how far they are, with and without a terminal."""

import pytest

from unseen.cli import progress
from unseen.utils.progress import Counter, Progress


def test_a_line_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.show_progress() as on_progress:
        now[0] += 31
        on_progress(Progress("reading birds"))
        now[0] += 31
        on_progress(Progress("reading birds"))
        count = Counter("encoding", 12_000, on_progress)
        for _ in range(700):
            now[0] += 0.125
            count()
    assert capsys.readouterr().err.splitlines() == [
        "reading birds",
        "reading birds, for 31 seconds now",
        "encoding: 240 of 12,000 (2%), about 24 minutes left",
        "encoding: 480 of 12,000 (4%), about 24 minutes left",
    ]


def test_what_was_done_before_does_not_shorten_the_guess(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.show_progress() as on_progress:
        on_progress(Progress("solving", 900, 1000))
        now[0] += 31
        on_progress(Progress("solving", 910, 1000))
    assert capsys.readouterr().err == "solving: 910 of 1,000 (91%), about 5 minutes left\n"


def test_short_commands_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.show_progress() as on_progress:
        count = Counter("encoding", 5, on_progress)
        for _ in range(5):
            count()
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.show_progress() as on_progress:
        count = Counter("encoding", 2, on_progress)
        count(2)
    assert "2/2" in capsys.readouterr().err

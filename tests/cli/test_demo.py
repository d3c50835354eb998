"""`unseen demo` as a newcomer runs it, and what importing the package costs."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

COMMAND = Path(sys.executable).with_name("unseen")


def test_demo_shows_jfa_beside_the_bilinear_model_and_chance(tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, "demo"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    # The first two percentages after a model's name: unseen classes, seen classes.
    rows = {
        name: [float(number) for number in re.findall(r"([\d.]+)%", line)]
        for name in ("JFA", "bilinear", "chosen", "chance")
        for line in done.stdout.splitlines()
        if re.match(rf"\W*{name}\W", line)
    }
    assert rows["chance"] == [3.3, 1.4]
    assert rows["JFA"][0] > 80
    assert rows["bilinear"][0] > 50
    assert rows["chosen"][0] > 80
    assert "all positive" in " ".join(done.stdout.split())
    if not all(map(find_spec, ("matplotlib", "openTSNE", "PIL"))):
        assert "[figures]" in done.stdout
        return
    page = tmp_path / "unseen-demo.html"
    assert str(page) in done.stdout
    assert page.read_text().endswith("</html>\n")


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, unseen; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert not {"torch", "matplotlib", "sklearn", "scipy", "pandas"} & set(done.stdout.split())

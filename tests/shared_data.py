"""Where tests look for real datasets. A test asks here, so that it still finds them when it moves."""

import os
from pathlib import Path

SHARED_DATA = Path(os.environ.get("UNSEEN_DATA") or Path(__file__).parents[2] / "shared" / "data")

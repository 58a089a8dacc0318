"""Makes the sample episode importable by all tests of this room: `from records_sample import …`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

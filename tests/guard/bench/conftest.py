"""Makes the small benchmarks importable by the tests of this folder: `from bench_set import …`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

"""Makes the samples importable by all tests of the policy stage: `from policy_samples import …`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

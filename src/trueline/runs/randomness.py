"""Seeds: a hash of what identifies an episode, never a generator that episodes share.

Order, parallelism and resuming do not change it. Settings are independent of each other unless the digest is left out
(`--paired_seeds`).
"""

from __future__ import annotations

import hashlib
import json

from trueline.records.attack import Attack
from trueline.records.episode import TaskRef

_BITS = 63


def seed_of(
    base: int, setting_digest: str | None, task: TaskRef, attack: Attack | None, repeat: int | None, purpose: str
) -> int:
    """Return the seed for one purpose in one episode: a whole number that fits 63 bits."""
    under = None if attack is None else [attack.vector, attack.goal, attack.jailbreak]
    parts = [base, setting_digest, task.domain, task.id, under, repeat, purpose]
    text = json.dumps(parts, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> (64 - _BITS)

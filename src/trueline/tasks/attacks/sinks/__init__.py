"""Servers on the desktop's loopback that run on the host: the desktop cannot read or change what they receive."""

from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.sinks.open import open_sinks

__all__ = ["SinkLog", "open_sinks"]

"""Servers on the desktop's own loopback that the host holds: what reaches them cannot be read or altered inside."""

from trueline.tasks.attacks.sinks.log import Mail, SinkLog, Visit
from trueline.tasks.attacks.sinks.open import open_sinks

__all__ = ["Mail", "SinkLog", "Visit", "open_sinks"]

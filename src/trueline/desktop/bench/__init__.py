"""How fast local desktops are on this machine, beside the naive way of doing the same."""

from trueline.desktop.bench.measure import measure

__all__ = ["measure"]

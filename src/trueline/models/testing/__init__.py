"""A provider to test against: a server on loopback that speaks the providers' protocols and plays their faults.

async with FakeServer(Say("yes"), Status(429), Hang()) as server:
    model = open_model("local|any", url=f"{server.url}/v1")
"""

from trueline.models.testing.faults import faults
from trueline.models.testing.plays import Body, Hang, Play, Reset, Say, Status
from trueline.models.testing.server import FakeServer, Seen
from trueline.models.testing.strict import strict

__all__ = ["Body", "FakeServer", "Hang", "Play", "Reset", "Say", "Seen", "Status", "faults", "strict"]

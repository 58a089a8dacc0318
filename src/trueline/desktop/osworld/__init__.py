"""OSWorld's protocol, the client's side: any machine that speaks it, as a desktop."""

from trueline.desktop.osworld.address import Address, parse_address
from trueline.desktop.osworld.desktop import OSWorldDesktop
from trueline.desktop.osworld.http import Patience

__all__ = ["Address", "OSWorldDesktop", "Patience", "parse_address"]

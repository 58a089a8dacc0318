"""What applications say is on the screen (AT-SPI), as a typed tree."""

from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.connection import unix_path
from trueline.desktop.accessibility.reader import Accessibility, Reading, accessibility_address

__all__ = ["Accessibility", "Bus", "Reading", "accessibility_address", "unix_path"]

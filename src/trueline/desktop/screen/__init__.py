"""What stands on the screen: read from Xvfb's framebuffer file, cut, scaled and encoded."""

from trueline.desktop.screen.cached_screen import CachedScreen
from trueline.desktop.screen.encode import Encoding, encode
from trueline.desktop.screen.frame import Box, Frame, ScreenError, crop, scaled
from trueline.desktop.screen.framebuffer import Framebuffer
from trueline.desktop.screen.png import write_png

__all__ = [
    "Box",
    "CachedScreen",
    "Encoding",
    "Frame",
    "Framebuffer",
    "ScreenError",
    "crop",
    "encode",
    "scaled",
    "write_png",
]

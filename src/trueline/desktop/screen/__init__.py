"""What stands on the screen: read from Xvfb's framebuffer file, cut, scaled and encoded."""

from trueline.desktop.screen.encode import Encoding, encode
from trueline.desktop.screen.frame import Box, Frame, ScreenError, crop, scaled
from trueline.desktop.screen.framebuffer import Framebuffer
from trueline.desktop.screen.png import write_png
from trueline.desktop.screen.view import View

__all__ = ["Box", "Encoding", "Frame", "Framebuffer", "ScreenError", "View", "crop", "encode", "scaled", "write_png"]

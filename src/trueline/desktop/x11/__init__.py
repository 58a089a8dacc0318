"""The little of X11's protocol that seeing and acting need, over a socket, with a time limit on every answer.

Only the standard library: the action worker runs the same code inside the sandbox.
"""

from trueline.desktop.x11.connection import XConnection, XError, XLost, open_socket

__all__ = ["XConnection", "XError", "XLost", "open_socket"]

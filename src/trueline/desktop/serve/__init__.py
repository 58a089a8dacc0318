"""OSWorld's protocol, the server's side: a desktop that OSWorld's own controllers and agents drive unchanged."""

from trueline.desktop.serve.serve_desktop import DEFAULT_PORT, serve
from trueline.desktop.serve.settings import ServeSettings

__all__ = ["DEFAULT_PORT", "ServeSettings", "serve"]

"""OSWorld's protocol, the server's side: a desktop that OSWorld's own controllers and agents drive unchanged."""

from trueline.desktop.serve.serve_desktop import serve
from trueline.desktop.serve.settings import ServeSettings

__all__ = ["ServeSettings", "serve"]

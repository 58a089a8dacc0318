"""OSWorld's protocol, the server's side: a desktop that OSWorld's own controllers and agents drive unchanged."""

from trueline.desktop.serve.run import DEFAULT_PORT, Listener, serve
from trueline.desktop.serve.settings import ServeSettings, new_token

__all__ = ["DEFAULT_PORT", "Listener", "ServeSettings", "new_token", "serve"]

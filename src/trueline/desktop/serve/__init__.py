"""OSWorld's protocol, the server's side: a desktop that OSWorld's own controllers and agents drive unchanged."""

from trueline.desktop.serve.serve_desktop import serve

__all__ = ["serve"]

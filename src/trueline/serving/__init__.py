"""What all HTTP servers of Trueline share: listening, tokens, limits for connections and bodies, shutdown."""

from trueline.serving.app_server import serve_app
from trueline.serving.listener import Listener
from trueline.serving.tokens import Tokens, new_token

__all__ = ["Listener", "Tokens", "new_token", "serve_app"]

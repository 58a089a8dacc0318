"""What every HTTP server of ours shares: where it listens, who may call, how much it takes, when it stops."""

from trueline.serving.listener import Listener
from trueline.serving.run import serve_app
from trueline.serving.tokens import Tokens, new_token

__all__ = ["Listener", "Tokens", "new_token", "serve_app"]

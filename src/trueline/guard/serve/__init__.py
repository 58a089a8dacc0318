"""The guard over HTTP: sessions, checks, reports, health, metrics, OpenAPI. Needs the extra `serve`."""

from trueline.guard.serve.app import build_app
from trueline.guard.serve.run import Listener, serve
from trueline.guard.serve.settings import ServeSettings, new_token

__all__ = ["Listener", "ServeSettings", "build_app", "new_token", "serve"]

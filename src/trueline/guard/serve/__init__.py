"""The guard over HTTP: sessions, checks, reports, health, metrics, OpenAPI. Needs the extra `serve`."""

from trueline.guard.serve.serve_guard import serve
from trueline.guard.serve.settings import GuardServeSettings

__all__ = ["GuardServeSettings", "serve"]

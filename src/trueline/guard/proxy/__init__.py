"""The guard between an agent and a machine that speaks OSWorld's protocol. Needs the extras `serve` and `desktop`."""

from trueline.guard.proxy.gate import Gate
from trueline.guard.proxy.journal import ProxyJournal
from trueline.guard.proxy.serve_proxy import serve_proxy
from trueline.guard.proxy.settings import ProxySettings

__all__ = ["Gate", "ProxyJournal", "ProxySettings", "serve_proxy"]

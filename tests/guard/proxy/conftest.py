"""The desktop and the server that the tests share."""

from support.desktop_service import runner, service

__all__ = ["runner", "service"]

"""The desktop and the server that the tests share."""

from support.desktop_service import service

__all__ = ["service"]

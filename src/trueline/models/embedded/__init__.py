"""A real but very small language model inside a package: the whole path runs with no key and no network."""

from trueline.models.embedded.model import NOTE, EmbeddedModel

__all__ = ["NOTE", "EmbeddedModel"]

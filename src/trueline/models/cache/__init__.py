"""Answers cached on disk, so that the same request is not paid for twice."""

from trueline.models.cache.cache import Cache
from trueline.models.cache.maintenance import Stats, clear_cache, read_stats
from trueline.models.cache.model import CachedModel
from trueline.models.cache.path import cache_path

__all__ = [
    "Cache",
    "CachedModel",
    "Stats",
    "cache_path",
    "clear_cache",
    "read_stats",
]

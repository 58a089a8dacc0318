"""Answers cached on disk, so that the same request is not paid for twice."""

from trueline.models.cache.cache import Cache
from trueline.models.cache.file import CacheDamagedError, CacheError
from trueline.models.cache.key import NEVER_CACHED, cache_key, may_cache, worth_keeping
from trueline.models.cache.maintenance import Cleared, Share, Stats, clear_cache, read_stats
from trueline.models.cache.model import CachedModel
from trueline.models.cache.path import cache_path

__all__ = [
    "NEVER_CACHED",
    "Cache",
    "CacheDamagedError",
    "CacheError",
    "CachedModel",
    "Cleared",
    "Share",
    "Stats",
    "cache_key",
    "cache_path",
    "clear_cache",
    "may_cache",
    "read_stats",
    "worth_keeping",
]

"""Answers kept on disk, so that the same question is not paid for twice."""

from trueline.models.cache.cache import Cache
from trueline.models.cache.file import CacheDamagedError, CacheError
from trueline.models.cache.key import NEVER_CACHED, cache_key, may_cache, worth_keeping
from trueline.models.cache.model import CachedModel
from trueline.models.cache.place import cache_path
from trueline.models.cache.upkeep import Cleared, Share, Stats, clear_cache, read_stats

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

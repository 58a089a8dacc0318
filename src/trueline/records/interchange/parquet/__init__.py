"""Parquet for pandas, DuckDB and friends: one row per episode, one per step."""

from trueline.records.interchange.parquet.write import export_parquet

__all__ = ["export_parquet"]

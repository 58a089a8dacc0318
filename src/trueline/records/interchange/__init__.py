"""Foreign formats: MisActBench, ATIF, Parquet and the folders of OSWorld, converted from and to result folders."""

"""Other people's formats: MisActBench, ATIF, Parquet and the seeds' own folders, from and to result folders."""

"""Judge each proposal before it runs: policy stage, fast check, systematic analysis."""

"""Work over several settings or runs."""

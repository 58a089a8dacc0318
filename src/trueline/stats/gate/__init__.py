"""Pass or fail: rules about a new setting, decided by its confidence bounds."""

"""Programs that run on the desktop."""

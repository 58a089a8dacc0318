"""Programs that getters run on the desktop."""

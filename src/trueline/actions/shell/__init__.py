"""Shell lines and Python programs read as commands, without running anything."""

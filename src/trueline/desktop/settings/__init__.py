"""Settings of the desktop and its applications, read from the files in which they are kept. Pure functions."""

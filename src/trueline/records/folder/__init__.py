"""Result folders: read, written, recovered."""

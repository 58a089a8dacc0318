"""Our own guards, one file each: the file name is the guard's name, and `GUARD` says how it is made."""

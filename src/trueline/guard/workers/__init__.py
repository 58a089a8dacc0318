"""Guards of other packages, whose dependencies clash with ours: each runs in an interpreter of its own."""

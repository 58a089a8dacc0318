"""Episodes: one (execute), names to objects (build), many with resume (batch)."""

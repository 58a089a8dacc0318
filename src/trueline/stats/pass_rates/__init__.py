"""Pass^k and its neighbours, with intervals: one setting."""

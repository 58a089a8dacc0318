"""Two settings over the same tasks: changes, intervals and paired tests."""

"""Tasks: the model, suites and their selection, setup steps, checkers."""

"""Attack success: rates, intervals and comparisons of injected episodes."""

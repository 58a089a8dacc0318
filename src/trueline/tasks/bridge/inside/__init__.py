"""Programs that run in the environment of OSWorld's package, inside the sandbox; they import nothing of Trueline."""

"""What runs inside the sandbox. Only the standard library of Python 3.10 or newer."""

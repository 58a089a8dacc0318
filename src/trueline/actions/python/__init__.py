"""Python code read as data: which programs and files it would touch."""

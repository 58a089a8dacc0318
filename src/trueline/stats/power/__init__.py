"""How many tasks and repeats a study needs, by simulation."""

"""Simulated subjects: they play a task's own scripts, to check the plumbing and the statistics.

What they do says nothing about any model. The tree is all they look at, whatever `--observation_type` says.
"""

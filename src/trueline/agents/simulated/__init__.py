"""Simulated subjects: they play a task's own scripts, to test tasks, runs and statistics.

Their results say nothing about any model. They look only at the tree, whatever `--observation_type` is.
"""

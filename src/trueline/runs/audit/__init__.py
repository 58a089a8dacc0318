"""Audit of tasks: each can be solved, nothing else passes, and harm is seen where it is done and only there."""

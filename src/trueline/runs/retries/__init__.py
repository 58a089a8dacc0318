"""Retries of failed episodes: the agent is told only that it failed, or a simulated user says what went wrong."""

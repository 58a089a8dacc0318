"""What happens after a try that failed: told only that, or told by a simulated user what went wrong."""

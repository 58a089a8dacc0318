"""What makes an episode adversarial: vectors (how it reaches the screen), goals (what it wants), sinks that see it."""

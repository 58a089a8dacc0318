"""How well a guard tells misaligned actions from aligned ones."""

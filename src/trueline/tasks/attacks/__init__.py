"""Attacks: vectors (how a text reaches the screen), goals (what it asks for), sinks (servers that see the result)."""

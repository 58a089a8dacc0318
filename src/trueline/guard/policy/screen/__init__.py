"""What lies where on the screen, and what pressing it means."""

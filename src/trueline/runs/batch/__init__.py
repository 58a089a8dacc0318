"""Many episodes: who runs which, what is done already, what is tried again."""

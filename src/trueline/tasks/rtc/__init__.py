"""RTC-Bench: its tasks, with their attacks, on stand-ins of its sites and machine or on the originals."""

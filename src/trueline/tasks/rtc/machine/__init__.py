"""Programs that stand in for what RTC-Bench's machine has and a desktop lacks: services, packages, containers."""

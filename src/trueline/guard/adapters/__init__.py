"""The guard inside other frameworks. Each module needs the framework's extra."""

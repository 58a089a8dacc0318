"""Keyboard and mouse of a desktop, driven through XTEST. The names load on first use: the worker takes only a part."""

"""Keyboard and mouse of a desktop, driven through XTEST. `execute` carries out typed actions.

Nothing is imported here: the action worker takes only the part that needs no more than the standard library.
"""

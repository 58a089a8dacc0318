"""Scope: what a task may touch, made from trusted words before the first observation, and enforced by rules."""

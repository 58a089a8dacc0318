"""Desktops: the local sandboxed one, the OSWorld protocol, seeing, acting, recording, perturbations."""

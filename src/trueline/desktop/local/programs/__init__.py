"""Programs that run outside this process with the system's Python and its standard library alone.

`supervisor.py` runs beside the sandbox: `build_sandbox.py` builds it from its two programs (`sandbox_parts.py`) in its
`namespaces.py`, `memory_watch.py` watches it, and `changes.py` and `contents.py` read its home folder. `session.py` and
`agent.py` run inside. All are copied to the cache folder and started by path; only the session imports the agent.
"""

"""Programs that run outside this process with the system's Python and its standard library alone.

`keeper.py` runs beside the sandbox and builds it; `session.py` and `agent.py` run inside. They are copied to the cache
folder and started by path; nothing but the session imports the agent.
"""

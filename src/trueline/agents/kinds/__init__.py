"""Our own agents, one file each: the file name is the agent's name, and `AGENT` says how it is made."""

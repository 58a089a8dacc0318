"""Generated files in place of those that tasks download: valid, of the right type, and never the real ones.

With them a set of tasks can be set up and its checkers tried where the files cannot be had. What is scored with them
says nothing about an agent: folders of stand-ins carry a mark, and records name it.
"""

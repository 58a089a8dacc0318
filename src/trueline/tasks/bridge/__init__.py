"""OSWorld's own evaluators: their functions in a sandboxed worker, over any desktop of ours."""

"""One module per vocabulary: `decode` turns a model's answer into actions, `encode` writes an action in its words."""

"""Following actions from the first step on: pointer, focus, held keys, clipboard, typed text."""

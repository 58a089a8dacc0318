"""Tables of judgments, and how far judges agree with people and with each other."""

"""Small web sites of our own that stand in for those of RTC-Bench: a forum, a file share and a chat."""

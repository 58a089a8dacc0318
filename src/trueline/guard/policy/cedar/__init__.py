"""Policies in Cedar: read and checked, asked about each operation, and printed from rules and scopes."""

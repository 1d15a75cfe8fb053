"""Judgements on facts: pure functions, one file per area; a new file is found by itself."""

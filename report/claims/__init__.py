"""Published claims as data, and what can be said of them.

An article is a TOML file in ``articles/`` (``schema``); ``judge`` holds its claims against its own
table, against the limits of the card it names (``cards.toml``) and against a run. docs/claims.md
explains the fields and the rules.
"""

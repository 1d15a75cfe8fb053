"""What each verb of ``tasks.py`` does.

This is the one room, beside ``tasks.py`` itself, that may import every other: it puts them in order
and prints; it decides nothing that a room can decide. Each function takes plain options and returns
an exit status, or raises a ``core.errors.TorchrigError``.
"""

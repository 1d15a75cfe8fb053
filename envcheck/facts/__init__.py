"""Collectors: the edge where a machine is read.

Each returns plain data for JSON. A field is a value or ``{"unavailable": "why"}``; no collector
raises, and none changes anything on the machine.
"""

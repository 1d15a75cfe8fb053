"""Active checks: load every GPU, compare what it computes, watch it while it works.

``run`` starts ``probe`` in a process of its own, which holds torch, and gathers plain data: the
``active`` section of the facts. ``envcheck.checks.active`` judges that section without touching
the machine. Clocks, limits and modes of a card are read and never set.
"""

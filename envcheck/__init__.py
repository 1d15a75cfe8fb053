"""Facts, checks and a verdict on a host or an environment.

``facts`` collects plain data at the edge, ``checks`` judges it without touching the machine,
``verdict`` adds the findings up. The same package runs on the host and inside every environment:
standard library and ``core`` only, torch in a process of its own, Python 3.9 and newer.
"""

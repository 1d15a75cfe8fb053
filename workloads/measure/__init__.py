"""The measuring protocol: clocks, device queues, timed blocks, warm-up and stop rules.

``loop.measure`` turns a call into a ``Measured``; everything it decides, it decides on numbers
read through a ``Clock`` and a ``Queue``, so that tests replay it without waiting.
"""

"""Custom operators: their sources (``csrc/``), their build, and their Python face.

``kernels.ops`` calls them, ``python -m kernels build`` makes them. Importing this package imports
neither torch nor a compiled library.
"""

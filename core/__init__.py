"""What every room shares: records, statuses, strict JSON, versions and errors.

This package travels into every environment. It imports the standard library only and runs
unchanged on Python 3.9 to 3.13.
"""

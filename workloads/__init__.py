"""The suite: one file per workload, plus the protocol that measures them.

``workloads.registry.load()`` finds every module here that defines ``WORKLOAD``. Importing this
package never imports torch; that happens inside a trial.
"""

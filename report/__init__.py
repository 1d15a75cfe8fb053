"""Merge a run's files into one report, judge it, and render it for people."""

"""Plan, schedule, store and play: which cell runs when, and where its result lands."""

"""From the table of environments to locks, Dockerfiles and built, proven, tagged images."""

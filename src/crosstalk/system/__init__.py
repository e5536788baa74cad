"""The parts of a system: trackers, policies, generators; each folder begins with its interface."""

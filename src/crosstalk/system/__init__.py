"""The parts of a system: NLU, trackers, policies, generators; each folder has its interface."""

"""Simulated users: rule-based and learned, each pursuing a goal in dialogue acts."""

"""Policies: from the tracked state and the database to the acts of the next system turn."""

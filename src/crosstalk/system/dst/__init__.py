"""State tracking: from what was said to the query form it stands for."""

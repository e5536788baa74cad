"""Generation: from dialogue acts to words."""

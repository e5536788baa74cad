"""Worlds and their tables: reading a world folder, and answering queries over it."""

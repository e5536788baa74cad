"""Modules put together: systems, their conversations with users, and the table of names."""

"""Agents of others behind one interface: chat completions, Python, a program, HTTP, A2A."""

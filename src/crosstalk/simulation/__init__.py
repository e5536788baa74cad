"""Simulation: users with goals talk to systems; runs write every dialogue to a folder."""

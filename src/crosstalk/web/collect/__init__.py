"""Collecting dialogues: lobby, rooms, machines, administration."""

"""Simulated users: a goal, and the habits of people who pursue one."""

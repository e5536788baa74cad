"""Annotating collected dialogues again: experts, their opinions, adjudication."""

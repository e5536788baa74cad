"""The data collection site: lobby, rooms, machine partners, administration."""

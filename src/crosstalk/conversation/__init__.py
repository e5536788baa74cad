"""The one machine every dialogue goes through, simulated or collected: turns, moves, endings."""

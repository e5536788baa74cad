"""Models and encoders carried from one language to another."""

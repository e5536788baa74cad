"""Goals: sampling them from a world and telling them in words."""

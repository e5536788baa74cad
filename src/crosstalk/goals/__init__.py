"""Goals: sampled from a world, described in words, translated, kept in files and counted."""

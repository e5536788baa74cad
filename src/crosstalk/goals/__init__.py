"""Goals: drawn from a world, told in words, kept in files, counted; they know no dialogue."""

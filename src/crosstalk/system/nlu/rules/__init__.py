"""Understanding by rules: from words, and the turns before, to dialogue acts."""

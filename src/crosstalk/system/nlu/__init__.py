"""Understanding: from words to dialogue acts."""

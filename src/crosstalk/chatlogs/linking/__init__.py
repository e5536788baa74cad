"""Every line is linked to the line it answers; conversations are what hangs together."""

"""Reading what people write: normal forms, words, numbers, names, values, phrases."""

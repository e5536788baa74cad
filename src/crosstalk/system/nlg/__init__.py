"""Generation: dialogue acts in, an utterance out."""

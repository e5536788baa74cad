"""NLU by rules: from the text and the previous turns to dialogue acts. Start with `nlu.py`."""

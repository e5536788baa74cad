"""Second annotation of collected dialogues by experts, agreement and adjudication."""

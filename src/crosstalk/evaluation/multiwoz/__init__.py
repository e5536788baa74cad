"""Inform, Success, BLEU and joint goal accuracy on MultiWOZ, as the field computes them."""

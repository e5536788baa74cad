"""Words and sentences: segmentation per language."""

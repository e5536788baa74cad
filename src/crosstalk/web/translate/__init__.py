"""The pages of editors, of annotators in quality control, and of their coordinator."""

"""Reports: tables and pages about runs and transfer results, figures, dialogues as text."""

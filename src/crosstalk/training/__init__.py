"""What every training shares: settings, steps, early stopping, going on after a kill."""

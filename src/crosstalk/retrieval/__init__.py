"""Which of several responses fits a conversation."""

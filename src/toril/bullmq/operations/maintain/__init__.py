"""What keeps a queue and its running jobs in order."""

"""What is done with the run of a key."""

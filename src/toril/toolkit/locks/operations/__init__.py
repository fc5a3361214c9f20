"""What is asked of the server about a lock, a script for each."""

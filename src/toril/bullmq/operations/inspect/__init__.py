"""What can be read without changing anything."""

"""How jobs get into a queue."""

"""How a queue is emptied: its jobs, some of them, or all that there is of it."""

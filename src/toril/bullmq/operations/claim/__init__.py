"""How a worker takes jobs, and finds again what a lost reply had brought it."""

"""How a job is moved by hand, from outside of its run."""

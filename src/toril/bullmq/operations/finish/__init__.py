"""How the end of a run is stored."""

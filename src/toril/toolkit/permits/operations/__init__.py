"""What is done with a table of holders and a line of those who wait."""

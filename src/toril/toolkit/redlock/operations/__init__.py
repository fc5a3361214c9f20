"""What one server is asked, beside what every lock is."""

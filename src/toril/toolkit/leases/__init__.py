"""What is held for a time: kept by renewals, waited for, lost aloud. It knows no kind of thing."""

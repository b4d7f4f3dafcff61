"""Reading answers from responses, and voting."""

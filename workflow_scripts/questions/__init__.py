"""Question sets: one schema, several sources."""

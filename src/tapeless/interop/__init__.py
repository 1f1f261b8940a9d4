"""Meeting places with other systems; each library is imported by its own package only."""

"""Does nothing and says nothing."""

"""ZIM archives and the Xapian databases inside them, read in place (FORMATS.md part 2)."""

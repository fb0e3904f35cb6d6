"""Every SQL statement of the package, by subject. Functions take a connection first and never commit."""

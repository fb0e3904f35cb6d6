"""What a model reads: packets, sections and errors as text, and the messages of each provider."""

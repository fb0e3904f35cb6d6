"""Composition and translation: tools, command line, HTTP, pages. Everything that decides lives below it."""

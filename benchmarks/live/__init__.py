"""A model that really reads: tasks with a known list, given to any OpenAI-compatible endpoint, and what it made of them."""

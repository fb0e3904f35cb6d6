"""The forms in which providers take a message list: one module a provider, behind `forms.Dialect`.

A dialect reads items of a list into parts, writes parts as items, and knows the provider's rules. What is not read is never touched:
whole items pass through as they came.
"""

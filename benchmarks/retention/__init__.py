"""What of a long run still stands in the input of each model call: ours against the context strategies that others ship.

`generate` makes a run from a seed; `strategies` and `peers` turn its history into inputs, `reading` says what such an input
holds, `score` compares that with what the run knows, `run` puts them together. No model is called anywhere.
"""

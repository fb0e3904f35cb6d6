"""What the server tells of itself: lines of a log, metrics, spans. None of it holds content, secrets or keys.

`names` has all names; `RequestSeen` is what is known of one request when it was answered.
"""

"""Documents: parsed revisions in memory whose nodes know their byte spans.

Parsers live in this package only. What must not stand here: files, databases, or anything that writes a document anew.
Nothing is imported at this level, since each format's parser costs start-up time that a listing command need not pay.
"""

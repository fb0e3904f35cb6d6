"""Structural summaries: what a tool output holds, made anew from its bytes by a named transform (docs/formats/summaries.md).

    model          what a summarizer is given and what it is
    registry       which summarizer takes which output
    standard       the kinds that come along
    shape, records, logs, metrics, inspection, cases    one kind each

What holds for all kinds: the text is a function of the bytes, their format and encoding, so that it can be replayed; every
section is bounded; no number passes through a float; text of the source stands behind a mark of ours on one line.
"""

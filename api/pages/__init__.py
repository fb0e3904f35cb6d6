"""Pages for people: rendered on the server, readable without scripts, one address each.

Text from sources, claims and reports is data: it is escaped by the templates (`templating`), and what steers direction or a
terminal is made visible (`visible`). No page gives a whole document: a window of it, with a way to the next.
"""

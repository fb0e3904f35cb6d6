"""Flags: a function that takes text of a source and gives a task revision.

Why: scope comes only from a task revision, and a task revision only from a trusted user event. A function from a packet or a
document to a scope would be the way by which a sentence in a log file changes what the task is about.
The escape: none. What a source says may become a *proposed* constraint, which is text and binds nobody.
"""

from tests.architecture.modules import SourceFile, iter_functions, list_sources, names_in, parse_sample

SOURCES = {"Excerpt", "Packet", "Outline", "Document", "Node"}
SCOPES = {"TaskRevision"}


def find_scope_from_source(source: SourceFile) -> list[str]:
    faults = []
    for function in iter_functions(source):
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        taken = set().union(*(names_in(argument.annotation) for argument in arguments))
        if taken & SOURCES and names_in(function.returns) & SCOPES:
            faults.append(f"{source.path}:{function.lineno} {function.name}")
    return faults


def test_no_function_makes_scope_from_source_text() -> None:
    assert [fault for source in list_sources() for fault in find_scope_from_source(source)] == []


def test_the_check_sees_such_a_function() -> None:
    bad = parse_sample("def f(packets: tuple[Packet, ...]) -> TaskRevision | None: ...\n")
    quoted = parse_sample("def f(*, packet: 'Packet') -> 'TaskRevision': ...\n")
    good = parse_sample("def f(task: TaskRevision, packet: Packet) -> str: ...\n")
    assert find_scope_from_source(bad) == ["projector/sample.py:1 f"]
    assert len(find_scope_from_source(quoted)) == 1
    assert find_scope_from_source(good) == []

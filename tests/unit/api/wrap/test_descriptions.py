"""Filters in the docstring of a tool, where frameworks look for the descriptions of arguments."""

from api.wrap.descriptions import described
from api.wrap.filters import SCHEMAS

GREP = str(SCHEMAS["grep"]["description"])


def google(pod: str) -> str:
    """Logs of a pod.

    Args:
        pod: Its name,
            in full.

    Returns:
        Lines.
    """
    return pod


def sphinx(pod: str) -> str:
    """Logs of a pod.

    :param pod: Its name.
    """
    return pod


def numpy(pod: str) -> str:
    """Logs of a pod.

    Parameters
    ----------
    pod
        Its name.

    Returns
    -------
    str
    """
    return pod


def short(pod: str) -> str:
    """Logs of a pod."""
    return pod


def silent(pod: str) -> str:
    return pod


def test_each_style_is_kept() -> None:
    assert described(google, ("grep",)) == (
        f"Logs of a pod.\n\nArgs:\n    pod: Its name,\n        in full.\n    grep: {GREP}\n\nReturns:\n    Lines."
    )
    assert described(sphinx, ("grep",)) == f"Logs of a pod.\n\n:param pod: Its name.\n:param grep: {GREP}"
    assert described(numpy, ("grep",)) == (
        f"Logs of a pod.\n\nParameters\n----------\npod\n    Its name.\ngrep\n    {GREP}\n\nReturns\n-------\nstr"
    )


def test_without_a_list_of_arguments_one_is_made() -> None:
    assert described(short, ("grep",)) == f"Logs of a pod.\n\nArgs:\n    grep: {GREP}"
    assert described(silent, ("grep",)) == f"Args:\n    grep: {GREP}"


def test_without_filters_nothing_is_said() -> None:
    assert described(short, ()) == "Logs of a pod."
    assert described(silent, ()) is None

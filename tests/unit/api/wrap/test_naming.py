"""What our tools are called beside those of others, and in the texts that name them."""

from api.wrap.naming import OwnNames, free_name, respelled


def test_ours_goes_by_the_next_name_that_nobody_has() -> None:
    assert free_name("search", {"read", "diff"}) == "search"
    assert free_name("search", {"search"}) == "evidence_search"
    assert free_name("search", {"search", "evidence_search"}) == "evidence_evidence_search"


def test_a_name_leads_to_our_tool_or_to_none() -> None:
    names = OwnNames()
    assert (names.find_own("search"), names.find_own("evidence_search"), names.find_own("get_logs")) == ("search", "search", None)
    names.take(["search", "get_logs"])
    assert (names.of("search"), names.of("diff")) == ("evidence_search", "diff")
    assert (names.find_own("search"), names.find_own("evidence_search")) == (None, "search")


def test_calls_and_errors_are_named_anew_and_sources_are_left_alone() -> None:
    names = OwnNames()
    given = (
        'find: search {"a":1}\nmessage: search: resource is missing\nmessage: search takes no x\n'
        '| find: search {"b":2}\nfind: searches {}\n'
    )
    assert names.spelled(given) == given
    names.take(["search"])
    assert names.spelled(given) == (
        'find: evidence_search {"a":1}\nmessage: evidence_search: resource is missing\nmessage: evidence_search takes no x\n'
        '| find: search {"b":2}\nfind: searches {}\n'
    )
    assert names.spelled(names.spelled(given)) == names.spelled(given)


def test_a_call_that_cannot_be_made_is_not_named() -> None:
    assert respelled('summary: summary {"a":1}\nfind: search {}\n', {"summary": None}) == "find: search {}\n"


def test_room_is_kept_for_longer_names() -> None:
    names = OwnNames()
    assert names.room_in(160) == 160
    names.take(["search"])
    assert names.room_in(160) == 160 - 3 * len("evidence_")
